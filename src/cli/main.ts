// The command line of the service: `cabinet COMMAND`, for people and for operators.

import { type CommandGroups, runProgram } from './program.ts';
import { userGroups } from './user/groups.ts';

const operatorCommands: CommandGroups[string] = {
  serve: async () => (await import('./operator/serve.ts')).registerServe,
  app: async () => (await import('./operator/app.ts')).registerApp,
  user: async () => (await import('./operator/user.ts')).registerUser,
  group: async () => (await import('./operator/group.ts')).registerGroup,
  token: async () => (await import('./operator/token.ts')).registerToken,
  keys: async () => (await import('./operator/keys.ts')).registerKeys,
  export: async () => (await import('./operator/export.ts')).registerExport,
  import: async () => (await import('./operator/import.ts')).registerImport,
  migrate: async () => (await import('./operator/migrate.ts')).registerMigrate,
  quota: async () => (await import('./operator/quota.ts')).registerQuota,
  index: async () => (await import('./operator/index-status.ts')).registerIndex,
  audit: async () => (await import('./operator/audit.ts')).registerAudit,
  verify: async () => (await import('./operator/verify.ts')).registerVerify,
  backup: async () => (await import('./operator/backup.ts')).registerBackup,
  restore: async () => (await import('./operator/restore.ts')).registerRestore,
  config: async () => (await import('./operator/config.ts')).registerConfig,
  reset: async () => (await import('./operator/reset.ts')).registerReset,
};

/** Runs the arguments after `cabinet`, and sets `process.exitCode`. */
export async function run(typed: readonly string[]): Promise<void> {
  await runProgram(moveDigestsToEnd(toCurrentNames(typed)), {
    description: 'Work with files and folders of a Cabinet service, and operate one.',
    groups: { ...userGroups, 'Operate a service, on its machine:': operatorCommands },
    learnMore: 'docs/command-line.md describes the commands, docs/operator-commands.md those for operators.',
  });
}

/** `index status` and `index rebuild` used to be `search …`. */
function toCurrentNames(typed: readonly string[]): string[] {
  const [word, next, ...rest] = typed;
  const isOld = word === 'search' && (next === 'status' || next === 'rebuild');
  return isOld ? ['index', next, ...rest] : [...typed];
}

/** A certificate's digest may begin with a dash: after `--` it is no option. */
function moveDigestsToEnd(given: string[]): string[] {
  const isDigest = (word: string) => /^-[\w-]{42}$/.test(word);
  const digests = given.filter(isDigest);
  return digests.length === 0 ? given : [...given.filter((word) => !isDigest(word)), '--', ...digests];
}
