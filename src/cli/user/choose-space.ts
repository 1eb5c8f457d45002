// Which space a sign-in works in. Somebody in several spaces chooses while signing in: in the browser or in the terminal, whichever
// answers first. Where neither can answer, it is the first one.

import type { Space } from '@cabinet/client';
import { toPrintable } from '../output.ts';
import { LocalError } from './exit-codes.ts';
import type { LoopbackPage } from './loopback-page.ts';
import type { Profile } from './profiles.ts';
import type { TerminalLines } from './terminal-lines.ts';

interface Asking {
  /** The option `--space`. */
  wanted: string | undefined;
  page: LoopbackPage | null;
  lines: TerminalLines | null;
}

const question = 'Which space do you want to work in?';

export async function chooseSpace(
  spaces: readonly Space[],
  { wanted, page, lines }: Asking,
): Promise<Pick<Profile, 'SpaceId' | 'SpaceName'>> {
  if (wanted !== undefined) return toSpace(requireSpace(spaces, wanted));
  const [first] = spaces;
  if (first === undefined) return {};
  if (spaces.length === 1) return toSpace(first);
  const answers = [
    ...(page?.hasBrowser === true ? [page.choose(question, spaces)] : []),
    ...(lines?.isTerminal === true ? [askInTerminal(spaces, lines)] : []),
  ];
  if (answers.length === 0) return toSpace(first);
  return toSpace(requireSpace(spaces, await Promise.race(answers)));
}

async function askInTerminal(spaces: readonly Space[], lines: TerminalLines): Promise<string> {
  const list = spaces.map(({ Name }, index) => `  ${index + 1}  ${toPrintable(Name)}`).join('\n');
  process.stderr.write(`${question}\n${list}\nNumber or name: `);
  for (;;) {
    const line = await lines.next();
    const chosen = spaces[Number(line) - 1] ?? spaces.find(({ Name }) => Name === line);
    if (chosen !== undefined) return chosen.Id;
    process.stderr.write(`Type a number from 1 to ${spaces.length}, or a name: `);
  }
}

function requireSpace(spaces: readonly Space[], wanted: string): Space {
  const found = spaces.find(({ Id, Name }) => Id === wanted || Name === wanted);
  if (found !== undefined) return found;
  const names = spaces.map(({ Name }) => Name).join(', ');
  const yours = names === '' ? 'You are in no space.' : `Your spaces: ${names}.`;
  throw new LocalError('NotFound', `You are not in a space ${JSON.stringify(wanted)}. ${yours}`);
}

function toSpace({ Id, Name }: Space): Pick<Profile, 'SpaceId' | 'SpaceName'> {
  return { SpaceId: Id, SpaceName: Name };
}
