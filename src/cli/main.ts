// The command line: `cabinet COMMAND`. Every command takes `--json` and then prints exactly one JSON object (`watch`: one per line).
// Only the file of the given command is loaded: the service itself takes a second, which `cabinet ls` should not wait for.

import { Command, CommanderError } from 'commander';

type Register = (program: Command) => void;

const operatorCommands: Record<string, () => Promise<Register>> = {
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

const userCommands: Record<string, () => Promise<Register>> = {
  login: async () => (await import('./user/login.ts')).registerLogin,
  logout: async () => (await import('./user/logout.ts')).registerLogout,
  profiles: async () => (await import('./user/profile-list.ts')).registerProfiles,
  ls: async () => (await import('./user/ls.ts')).registerLs,
  tree: async () => (await import('./user/tree.ts')).registerTree,
  mkdir: async () => (await import('./user/mkdir.ts')).registerMkdir,
  put: async () => (await import('./user/put.ts')).registerPut,
  get: async () => (await import('./user/get.ts')).registerGet,
  sync: async () => (await import('./user/sync.ts')).registerSync,
  mv: async () => (await import('./user/mv.ts')).registerMv,
  cp: async () => (await import('./user/cp.ts')).registerCp,
  rm: async () => (await import('./user/rm.ts')).registerRm,
  undelete: async () => (await import('./user/undelete.ts')).registerUndelete,
  versions: async () => (await import('./user/versions.ts')).registerVersions,
  search: async () => (await import('./user/search.ts')).registerSearch,
  link: async () => (await import('./user/link.ts')).registerLink,
  access: async () => (await import('./user/access.ts')).registerAccess,
  share: async () => (await import('./user/share.ts')).registerShare,
  open: async () => (await import('./user/open.ts')).registerOpen,
  watch: async () => (await import('./user/watch.ts')).registerWatch,
  mcp: async () => (await import('./user/mcp.ts')).registerMcp,
  'app-password': async () => (await import('./user/app-password.ts')).registerAppPassword,
  webhook: async () => (await import('./user/webhook.ts')).registerWebhook,
  completion: async () => (await import('./user/completion.ts')).registerCompletion,
};

const known = { ...userCommands, ...operatorCommands };

/** Runs the arguments after `cabinet`, and sets `process.exitCode`. */
export async function run(typed: readonly string[]): Promise<void> {
  const program = new Command('cabinet')
    .description('Cabinet: a self-hosted content management service. A 200 means durable.')
    .showHelpAfterError('(cabinet help shows what there is)')
    .exitOverride();
  const words = moveDigestsToEnd(toCurrentNames(typed));
  const isJson = words.includes('--json');
  if (isJson) program.configureOutput({ writeErr: () => undefined });
  const [first = ''] = words;
  if (first === 'complete') {
    await complete(program, words.slice(words[1] === '--' ? 2 : 1));
    return;
  }
  if (Object.hasOwn(known, first)) (await known[first]?.())?.(program);
  else await registerAll(program);
  await program.parseAsync(words, { from: 'user' }).catch((error) => reportUsageError(error, isJson));
}

/** Commander has printed the message already, unless the output is JSON. */
function reportUsageError(error: unknown, isJson: boolean): void {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode;
  if (!isJson || error.exitCode === 0) return;
  const message = error.code === 'commander.help' ? 'The command is not complete.' : error.message;
  process.stdout.write(
    `${JSON.stringify({ Error: { Code: 'WrongUse', Message: message.replace(/^error: /, ''), Hint: 'cabinet help shows what there is.' } })}\n`,
  );
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

async function registerAll(program: Command): Promise<void> {
  program.commandsGroup('For people, over HTTP (docs/command-line.md):');
  for (const load of Object.values(userCommands)) (await load())(program);
  program.commandsGroup('For operators, on the machine of the service (docs/running.md):');
  for (const load of Object.values(operatorCommands)) (await load())(program);
}

/** Called by the completion scripts at each Tab. */
async function complete(program: Command, typed: string[]): Promise<void> {
  const [name = ''] = typed;
  if (typed.length > 1 && Object.hasOwn(known, name)) (await known[name]?.())?.(program);
  else for (const command of Object.keys(known)) program.command(command);
  const { completeWords } = await import('./user/completion.ts');
  process.stdout.write((await completeWords(program, typed)).map((word) => `${word}\n`).join(''));
}
