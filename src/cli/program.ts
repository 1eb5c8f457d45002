// What the programs `cabinet` have in common. Every command takes `--json` and then prints exactly one JSON object (`watch`: one per
// line). Only the file of the given command is loaded: the service itself takes a second, which `cabinet ls` should not wait for.

import { Command, CommanderError, Option } from 'commander';
import { readVersion } from '../runtime/version.ts';

type Register = (program: Command) => void;

/** By the heading in the help, then by name. */
export type CommandGroups = Record<string, Record<string, () => Promise<Register>>>;

interface ProgramOptions {
  description: string;
  groups: CommandGroups;
  /** The end of the help. */
  learnMore: string;
}

const examples = `
Examples:
  $ cabinet login https://files.example.com
  $ cabinet put photos /Archive/
  $ cabinet get "/Invoices/*.pdf" invoices
  $ cabinet share /Archive/photos --expires 7d

Learn more:
  cabinet help COMMAND shows the options and examples of a command.
`;

/** Runs the arguments after `cabinet`, and sets `process.exitCode`. */
export async function runProgram(typed: string[], { description, groups, learnMore }: ProgramOptions): Promise<void> {
  const known = Object.assign({}, ...Object.values(groups)) as CommandGroups[string];
  const words = toHelpOption(typed, known);
  const program = new Command('cabinet')
    .description(description)
    .usage('<command> [options]')
    .helpCommand('help [command]', 'show help for a command')
    .helpOption('-h, --help', 'show help')
    .addHelpText('after', `${examples}  ${learnMore}`)
    .exitOverride();
  const isJson = words.includes('--json');
  if (words[0] === '--version') {
    process.stdout.write(`cabinet ${readVersion()}\n`);
    return;
  }
  program.configureOutput({
    ...(isJson && { writeErr: () => undefined }),
    outputError: (text, write) => write(text.replace(/^error: /, 'cabinet: ') + toHint(findCommand(program, words))),
  });
  const [first = ''] = words;
  if (first === 'complete') {
    await complete(program, known, words.slice(words[1] === '--' ? 2 : 1));
    return;
  }
  if (Object.hasOwn(known, first)) (await known[first]?.())?.(program);
  else await registerAll(program, groups);
  await program.parseAsync(words, { from: 'user' }).catch((error) => reportUsageError(error, isJson));
}

/** `help app add` is `app add --help`: the command of Commander looks at one word only. */
function toHelpOption(words: string[], known: CommandGroups[string]): string[] {
  const [word, first = '', ...rest] = words;
  return word === 'help' && Object.hasOwn(known, first) && rest.length > 0 ? [first, ...rest, '--help'] : words;
}

/** The command that the first words name, or the last group among them. */
function findCommand(program: Command, words: readonly string[]): Command {
  const [first = '', ...rest] = words;
  const command = program.commands.find((one) => one.name() === first);
  return command === undefined ? program : findCommand(command, rest);
}

/** After the message of a usage error. */
function toHint(command: Command): string {
  if (command.parent === null) return 'Run cabinet help for a list of commands.\n';
  const usage = command.createHelp().commandUsage(command);
  const [, ...names] = usage.replace(/ [[<].*$/, '').split(' ');
  return `Usage: ${usage}\nRun cabinet help ${names.join(' ')} for its options.\n`;
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

async function registerAll(program: Command, groups: CommandGroups): Promise<void> {
  for (const [group, commands] of Object.entries(groups)) {
    program.commandsGroup(group);
    for (const load of Object.values(commands)) (await load())(program);
  }
  // Afterwards, or the commands would inherit it; their own help shows their arguments.
  program.configureHelp({
    subcommandTerm: (command) => command.name(),
    visibleCommands: ({ commands }) => [...commands],
    visibleOptions: () => [new Option('-h, --help', 'show help'), new Option('--version', 'print the version')],
  });
}

/** Called by the completion scripts at each Tab. */
async function complete(program: Command, known: CommandGroups[string], typed: string[]): Promise<void> {
  const [name = ''] = typed;
  if (typed.length > 1 && Object.hasOwn(known, name)) (await known[name]?.())?.(program);
  else for (const command of Object.keys(known)) program.command(command);
  const { completeWords } = await import('./user/completion.ts');
  process.stdout.write((await completeWords(program, typed)).map((word) => `${word}\n`).join(''));
}
