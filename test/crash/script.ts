// One round of everything that changes what is stored, in the same order each time: what faults are counted through.

import type { Step, Story } from './ledger.ts';
import { type Load, take } from './workload.ts';

const smallBytes = 2000;
const largeBytes = 150_000;

/** Returns the steps that were taken; a story ends where a step of it failed. */
export async function runScript(load: Pick<Load, 'client' | 'ledger' | 'random'>, prefix: string): Promise<Step[]> {
  const { ledger, random } = load;
  const same = random.bytes(largeBytes);
  const [small, large, gone, twin, folder] = ['small', 'large', 'gone', 'twin', 'folder'].map((name) =>
    ledger.begin(`${prefix}-${name}`),
  ) as [Story, Story, Story, Story, Story];
  await goOn(load, small, 'file', random.bytes(smallBytes));
  await goOn(load, large, 'file', random.bytes(largeBytes));
  await goOn(load, gone, 'file', same);
  await goOn(load, twin, 'file', same);
  await goOn(load, folder, 'folder', null);
  await goOn(load, small, 'version', random.bytes(smallBytes));
  await goOn(load, large, 'version', random.bytes(largeBytes));
  await goOn(load, small, 'trash', null);
  await goOn(load, gone, 'purge', null);
  return [small, large, gone, twin, folder].flatMap(({ steps }) => steps);
}

async function goOn(
  load: Pick<Load, 'client' | 'ledger' | 'random'>,
  story: Story,
  kind: Step['kind'],
  bytes: Buffer | null,
): Promise<void> {
  if (story.steps.every(({ outcome }) => outcome === 'done')) await take(load, story, kind, bytes);
}
