// One round of everything that changes what is stored, in the same order each time: what faults are counted through.

import type { Step, Story } from './ledger.ts';
import { type Load, take } from './workload.ts';

const smallBytes = 2000;
const largeBytes = 150_000;

/** Returns the steps that were taken; a story ends where a step of it failed. */
export async function runScript(load: Pick<Load, 'client' | 'ledger' | 'random'>, prefix: string): Promise<Step[]> {
  const { ledger, random } = load;
  const same = random.bytes(largeBytes);
  const small = ledger.begin(`${prefix}-small`);
  const large = ledger.begin(`${prefix}-large`);
  const twin = ledger.begin(`${prefix}-twin`);
  const folder = ledger.begin(`${prefix}-folder`);
  await goOn(load, small, 'file', random.bytes(smallBytes));
  await goOn(load, large, 'file', same);
  await goOn(load, twin, 'file', same);
  await goOn(load, folder, 'folder', null);
  await goOn(load, small, 'version', random.bytes(smallBytes));
  await goOn(load, large, 'version', random.bytes(largeBytes));
  await goOn(load, small, 'trash', null);
  await goOn(load, large, 'purge', null);
  return [small, large, twin, folder].flatMap(({ steps }) => steps);
}

async function goOn(
  load: Pick<Load, 'client' | 'ledger' | 'random'>,
  story: Story,
  kind: Step['kind'],
  bytes: Buffer | null,
): Promise<void> {
  if (story.steps.every(({ outcome }) => outcome === 'done')) await take(load, story, kind, bytes);
}
