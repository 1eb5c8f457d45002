// Changes of every kind to entries at random, the same for the same seed, for tests that follow them.

import assert from 'node:assert/strict';
import { type Entry, must } from './assertions.ts';
import { type Answer, type Caller, createFolder, postFile, postFolder } from './client.ts';
import { askChange, askCopy, askPut, askRemove, askRestore, askTrash } from './life.ts';

/** A number between 0 and below, the same in every run. */
function makeDice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Any change of any kind to any entry beneath the folder; refusals are part of it. */
async function changeAtRandom(
  caller: Caller,
  top: Entry,
  ids: string[],
  roll: (below: number) => number,
): Promise<void> {
  const pick = (): string => must(ids[roll(ids.length)], 'entry');
  const name = `${'abc'[roll(3)]}${roll(9)}`;
  const rename = { ConflictBehavior: 'Rename' };
  const into = { ParentFolderId: roll(4) === 0 ? top.Id : pick(), Name: name, ...rename };
  const place = (): string => (roll(3) === 0 ? top.Id : pick());
  const kinds: (() => Promise<Answer>)[] = [
    () => postFolder(caller, { ParentFolderId: place(), FolderName: name, ...rename }),
    () => postFile(caller, { FolderId: place(), FileName: name, 'Content-Type': 'text/plain' }, 'x'.repeat(roll(50))),
    () => askChange(caller, pick(), { Properties: { [name]: roll(2) === 0 ? null : 'x' } }),
    () => askChange(caller, pick(), into),
    () => askCopy(caller, pick(), into),
    () => askTrash(caller, pick()),
    () => askRestore(caller, pick(), roll(2) === 0 ? rename : into),
    () => askRemove(caller, pick()),
    () => askPut(caller, pick(), 'y'.repeat(roll(50))),
  ];
  // How often each kind is chosen.
  const weights = [0, 0, 0, 1, 1, 1, 2, 3, 3, 4, 5, 5, 6, 6, 6, 7, 8];
  const kind = must(weights[roll(weights.length)], 'weight');
  const answer = await must(kinds[kind], 'kind')();
  assert.ok([200, 400, 404].includes(answer.status), answer.body.toString());
  if (answer.status !== 200) return;
  const { Entry } = JSON.parse(answer.body.toString()) as { Entry?: Entry };
  const id = Entry?.Id ?? String(answer.headers.entryid);
  if (!ids.includes(id)) ids.push(id);
}

/** Many changes one after the other, the same for the same seed, in a folder that may be moved away by others. */
export async function writeAtRandom(caller: Caller, top: Entry, seed: number, count: number): Promise<void> {
  const roll = makeDice(seed);
  const ids = [(await createFolder(caller, top.Id, `writer ${seed}`)).Id];
  for (let index = 0; index < count; index += 1) await changeAtRandom(caller, top, ids, roll);
}
