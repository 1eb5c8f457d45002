// `cabinet completion bash|zsh|fish`: a script that calls this program at each Tab. Completions come from the registered commands
// (names, options) and from the service (remote paths), so there is no second list to maintain.

import type { Command, Option } from 'commander';
import { exitCodes } from './exit-codes.ts';
import { exitOnUsageError, printError } from './perform.ts';
import { joinRemote, listFolder, requireEntry, splitRemote } from './remote.ts';
import { openSession } from './session.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** Nobody waits longer after pressing Tab. */
const timeoutMs = 2000;
const maxShown = 200;

/** By command, which positional arguments are remote paths. */
const remoteWords: Record<string, (position: number) => boolean> = {
  ls: () => true,
  tree: () => true,
  mkdir: () => true,
  put: (position) => position > 0,
  get: () => true,
  up: (position) => position === 1,
  down: (position) => position === 0,
  mv: () => true,
  cp: () => true,
  rm: () => true,
  versions: (position) => position === 0,
  link: (position) => position === 0,
  share: (position) => position === 0,
  open: (position) => position === 0,
  watch: (position) => position === 0,
};

const scripts: Record<Shell, string> = {
  bash: `# cabinet completion bash: put  eval "$(cabinet completion bash)"  into ~/.bashrc
_cabinet() {
  local IFS=$'\\n'
  COMPREPLY=($(cabinet complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  [[ \${COMPREPLY[0]} == */ ]] && compopt -o nospace
  COMPREPLY=($(printf '%q\\n' "\${COMPREPLY[@]}"))
}
complete -o default -F _cabinet cabinet`,
  zsh: `#compdef cabinet
# cabinet completion zsh: put  eval "$(cabinet completion zsh)"  into ~/.zshrc, after compinit
_cabinet() {
  local -a found
  found=("\${(@f)$(cabinet complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "\${found[1]}" ]] && compadd -S '' -f -- "\${found[@]}" || _files
}
compdef _cabinet cabinet`,
  fish: `# cabinet completion fish: put  cabinet completion fish | source  into ~/.config/fish/config.fish
complete -c cabinet -a '(cabinet complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};

export function registerCompletion(program: Command): void {
  program
    .command('completion <shell>')
    .description(`print the completion script for ${shells.join(', ')}`)
    .addHelpText('after', '\nExamples:\n  eval "$(cabinet completion bash)"\n  cabinet completion fish | source')
    .exitOverride(exitOnUsageError)
    .action((name: string) => {
      const shell = shells.find((known) => known === name);
      if (shell !== undefined) process.stdout.write(`${scripts[shell]}\n`);
      else {
        printError(new Error(`There are scripts for ${shells.join(', ')}.`), false);
        process.exitCode = exitCodes.wrongUse;
      }
    });
}

/** Completions of the last word. */
export async function completeWords(program: Command, words: readonly string[]): Promise<string[]> {
  const last = words.at(-1) ?? '';
  let command = program;
  let position = 0;
  for (const word of words.slice(0, -1)) {
    const inner = command.commands.find((one) => one.name() === word);
    if (inner !== undefined && position === 0) command = inner;
    else if (!word.startsWith('-') && word !== '') position += 1;
  }
  const isOption = last.startsWith('-');
  const names = command.commands.filter((one) => !isHidden(one)).map((one) => one.name());
  const known = isOption ? command.options.map(toOptionName) : position === 0 ? names : [];
  const fitting = known.filter((name) => name.startsWith(last));
  const isRemote = !isOption && remoteWords[command.name()]?.(position) === true;
  return isRemote ? await completeRemote(last).catch(() => []) : fitting;
}

function toOptionName({ long, short }: Option): string {
  return long ?? short ?? '';
}

function isHidden(command: Command): boolean {
  return (command as unknown as { _hidden: boolean })._hidden;
}

async function completeRemote(word: string): Promise<string[]> {
  const signal = AbortSignal.timeout(timeoutMs);
  const context = { ...(await openSession({}, signal)), signal };
  const { folder, name } = splitRemote(word.startsWith('/') ? word : `/${word}`);
  const found = await requireEntry(context, folder);
  const shown: string[] = [];
  for await (const { entry } of listFolder(context, { ...found, path: folder })) {
    if (!entry.Name.startsWith(name)) continue;
    shown.push(`${joinRemote(folder, entry.Name)}${entry.Type === 'folder' ? '/' : ''}`);
    if (shown.length === maxShown) break;
  }
  return shown;
}
