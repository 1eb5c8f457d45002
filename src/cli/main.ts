// The command line: `cabinet COMMAND`. Every command takes `--json` and then prints exactly one JSON object (`watch`: one per line).
// Only the file of the given command is loaded: the service itself takes a second, which `cabinet ls` should not wait for.

import { Command, CommanderError } from 'commander';
import { readVersion } from '../runtime/version.ts';

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

/** In the groups of the help. */
const userGroups: Record<string, Record<string, () => Promise<Register>>> = {
  'Sign in:': {
    login: async () => (await import('./user/login.ts')).registerLogin,
    logout: async () => (await import('./user/logout.ts')).registerLogout,
    whoami: async () => (await import('./user/whoami.ts')).registerWhoami,
    profiles: async () => (await import('./user/profile-list.ts')).registerProfiles,
    'app-password': async () => (await import('./user/app-password.ts')).registerAppPassword,
  },
  'Upload and download:': {
    put: async () => (await import('./user/put.ts')).registerPut,
    get: async () => (await import('./user/get.ts')).registerGet,
    cat: async () => (await import('./user/cat.ts')).registerCat,
    sync: async () => (await import('./user/sync.ts')).registerSync,
  },
  'Files and folders:': {
    ls: async () => (await import('./user/ls.ts')).registerLs,
    tree: async () => (await import('./user/tree.ts')).registerTree,
    du: async () => (await import('./user/du.ts')).registerDu,
    search: async () => (await import('./user/search.ts')).registerSearch,
    mkdir: async () => (await import('./user/mkdir.ts')).registerMkdir,
    mv: async () => (await import('./user/mv.ts')).registerMv,
    cp: async () => (await import('./user/cp.ts')).registerCp,
    rm: async () => (await import('./user/rm.ts')).registerRm,
    undelete: async () => (await import('./user/undelete.ts')).registerUndelete,
    versions: async () => (await import('./user/versions.ts')).registerVersions,
    open: async () => (await import('./user/open.ts')).registerOpen,
    watch: async () => (await import('./user/watch.ts')).registerWatch,
  },
  'Share:': {
    share: async () => (await import('./user/share.ts')).registerShare,
    access: async () => (await import('./user/access.ts')).registerAccess,
    link: async () => (await import('./user/link.ts')).registerLink,
    webhook: async () => (await import('./user/webhook.ts')).registerWebhook,
  },
  'Tools:': {
    mcp: async () => (await import('./user/mcp.ts')).registerMcp,
    completion: async () => (await import('./user/completion.ts')).registerCompletion,
  },
};

const userCommands = Object.assign({}, ...Object.values(userGroups)) as Record<string, () => Promise<Register>>;

const known: Record<string, () => Promise<Register>> = { ...userCommands, ...operatorCommands };

const examples = `
Options:
  --version  print the version

Examples:
  $ cabinet login https://files.example.com
  $ cabinet put photos /Archive/
  $ cabinet get "/Invoices/*.pdf" invoices
  $ cabinet share /Archive/photos --expires 7d

Learn more:
  cabinet help COMMAND shows the options and examples of a command.
  docs/command-line.md describes the commands, docs/running.md how to operate a service.`;

/** Runs the arguments after `cabinet`, and sets `process.exitCode`. */
export async function run(typed: readonly string[]): Promise<void> {
  const program = new Command('cabinet')
    .description('Work with files and folders of a Cabinet service, and operate one.')
    .usage('<command> [options]')
    .helpCommand('help [command]', 'show help for a command')
    .showHelpAfterError('Run cabinet help for a list of commands, cabinet help COMMAND for its options.')
    .addHelpText('after', examples)
    .exitOverride();
  const words = moveDigestsToEnd(toCurrentNames(typed));
  const isJson = words.includes('--json');
  if (words[0] === '--version') {
    process.stdout.write(`cabinet ${readVersion()}\n`);
    return;
  }
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

/** As docs/command-line.md lists it, for commands of operators too. */
const usageExitCode = 2;

/** Commander has printed the message already, unless the output is JSON. */
function reportUsageError(error: unknown, isJson: boolean): void {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : usageExitCode;
  if (!isJson || error.exitCode === 0) return;
  const message = error.code === 'commander.help' ? 'The command is incomplete.' : error.message;
  process.stdout.write(
    `${JSON.stringify({ Error: { Code: 'WrongUse', Message: message.replace(/^error: /, ''), Hint: 'Run cabinet help for a list of commands.' } })}\n`,
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
  for (const [group, commands] of Object.entries(userGroups)) {
    program.commandsGroup(group);
    for (const load of Object.values(commands)) (await load())(program);
  }
  program.commandsGroup('Operate a service, on its machine:');
  for (const load of Object.values(operatorCommands)) (await load())(program);
  // Afterwards, or the commands would inherit it; their own help shows their arguments.
  program.configureHelp({ subcommandTerm: (command) => command.name() });
}

/** Called by the completion scripts at each Tab. */
async function complete(program: Command, typed: string[]): Promise<void> {
  const [name = ''] = typed;
  if (typed.length > 1 && Object.hasOwn(known, name)) (await known[name]?.())?.(program);
  else for (const command of Object.keys(known)) program.command(command);
  const { completeWords } = await import('./user/completion.ts');
  process.stdout.write((await completeWords(program, typed)).map((word) => `${word}\n`).join(''));
}
