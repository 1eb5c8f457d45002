// The command line: `cabinet COMMAND`. Every command takes `--json` and then prints exactly one JSON object (`watch`: one a line).
// Only the file of the command that is asked for is loaded: the service's own parts take a second, which `cabinet ls` need not wait for.

import { Command, CommanderError } from 'commander';

type Register = (program: Command) => void;

const operators: Record<string, () => Promise<Register>> = {
  serve: async () => (await import('./serve.ts')).registerServe,
  app: async () => (await import('./app.ts')).registerApp,
  user: async () => (await import('./user.ts')).registerUser,
  token: async () => (await import('./token.ts')).registerToken,
  keys: async () => (await import('./keys.ts')).registerKeys,
  export: async () => (await import('./export.ts')).registerExport,
  import: async () => (await import('./import.ts')).registerImport,
  migrate: async () => (await import('./migrate.ts')).registerMigrate,
  quota: async () => (await import('./quota.ts')).registerQuota,
  index: async () => (await import('./index-status.ts')).registerIndex,
  audit: async () => (await import('./audit.ts')).registerAudit,
  verify: async () => (await import('./verify.ts')).registerVerify,
  backup: async () => (await import('./backup.ts')).registerBackup,
  restore: async () => (await import('./restore.ts')).registerRestore,
  config: async () => (await import('./config.ts')).registerConfig,
  reset: async () => (await import('./reset.ts')).registerReset,
};

const people: Record<string, () => Promise<Register>> = {
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
  open: async () => (await import('./user/open.ts')).registerOpen,
  watch: async () => (await import('./user/watch.ts')).registerWatch,
  completion: async () => (await import('./user/completion.ts')).registerCompletion,
};

const known = { ...people, ...operators };

/** What was typed behind `cabinet`; ends with the exit code in `process.exitCode`. */
export async function run(typed: readonly string[]): Promise<void> {
  const program = new Command('cabinet')
    .description('Cabinet: a self-hosted content management service. A 200 means durable.')
    .showHelpAfterError('(cabinet help shows what there is)')
    .exitOverride();
  const words = toLastWords(toCurrentWords(typed));
  const isJson = words.includes('--json');
  if (isJson) program.configureOutput({ writeErr: () => undefined });
  const [first = ''] = words;
  if (first === 'complete') {
    await complete(program, words.slice(words[1] === '--' ? 2 : 1));
    return;
  }
  if (Object.hasOwn(known, first)) (await known[first]?.())?.(program);
  else await registerAll(program);
  await program.parseAsync(words, { from: 'user' }).catch((error) => endWrongUse(error, isJson));
}

/** What was typed is no command, or help was asked for: told already, unless JSON is wanted. */
function endWrongUse(error: unknown, isJson: boolean): void {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode;
  if (!isJson || error.exitCode === 0) return;
  const message = error.code === 'commander.help' ? 'The command is not complete.' : error.message;
  process.stdout.write(
    `${JSON.stringify({ Error: { Code: 'WrongUse', Message: message.replace(/^error: /, ''), Hint: 'cabinet help shows what there is.' } })}\n`,
  );
}

/** `index status` and `index rebuild` were called `search …` before people could search. */
function toCurrentWords(typed: readonly string[]): string[] {
  const [word, next, ...rest] = typed;
  const isOld = word === 'search' && (next === 'status' || next === 'rebuild');
  return isOld ? ['index', next, ...rest] : [...typed];
}

/** The digest of a certificate may begin with a dash, and is no option for that. */
function toLastWords(given: string[]): string[] {
  const isDigest = (word: string) => /^-[\w-]{42}$/.test(word);
  const digests = given.filter(isDigest);
  return digests.length === 0 ? given : [...given.filter((word) => !isDigest(word)), '--', ...digests];
}

async function registerAll(program: Command): Promise<void> {
  program.commandsGroup('For people, over HTTP (docs/command-line.md):');
  for (const load of Object.values(people)) (await load())(program);
  program.commandsGroup('For operators, on the machine of the service (docs/running.md):');
  for (const load of Object.values(operators)) (await load())(program);
}

/** What the scripts of `cabinet completion` ask at each Tab. */
async function complete(program: Command, asked: string[]): Promise<void> {
  const [name = ''] = asked;
  if (asked.length > 1 && Object.hasOwn(known, name)) (await known[name]?.())?.(program);
  else for (const command of Object.keys(known)) program.command(command);
  const { completeWords } = await import('./user/completion.ts');
  process.stdout.write((await completeWords(program, asked)).map((word) => `${word}\n`).join(''));
}
