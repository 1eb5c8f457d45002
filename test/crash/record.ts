// Records the service at work for the crash states: its first start, saves of all kinds, an orderly stop, a start, a kill in
// the middle of work, a recovery, more work. What it leaves in a folder: the file effects, the ledger, who the caller was.

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../interface/client.ts';
import type { Started } from '../service/service.ts';
import { type Effect, readEffects } from './effects.ts';
import { type Ground, renew, startOn } from './ground.ts';
import { Ledger, type Story } from './ledger.ts';
import { Random } from './random.ts';
import { Client, runLoad } from './workload.ts';

/** Long enough for whoever does not wait for a sync to be seen ahead of it. */
const syncDelayUs = 2000;
const phases: Phase[] = [
  { writers: 8, steps: 160, end: 'SIGTERM' },
  { writers: 24, steps: 300, end: 'kill' },
  { writers: 16, steps: 200, end: 'SIGTERM' },
];
/** For mistakes that show at once. */
const shortPhases: Phase[] = [{ writers: 8, steps: 120, end: 'SIGTERM' }];

interface Phase {
  writers: number;
  steps: number;
  end: 'SIGTERM' | 'kill';
}

export interface Recorded {
  effects: Effect[];
  stories: Story[];
  caller: Caller;
}

/** The ground must be one that is watched and logged. */
export async function record(ground: Ground, seed: number, isShort = false): Promise<void> {
  const { watching } = ground;
  if (watching === null) throw new Error('nothing is recorded without the shim');
  const random = new Random(seed);
  const ledger = new Ledger();
  let caller: Caller | null = null;
  watching.control.delaySyncs(syncDelayUs);
  for (const [index, { writers, steps, end }] of (isShort ? shortPhases : phases).entries()) {
    watching.control.disarm();
    const service = await startOn(ground);
    try {
      caller = await renew(ground, service.production, caller);
      const client = new Client(caller, writers);
      const before = ledger.count('done');
      const isOver = () => ledger.count('done') - before >= steps;
      await runLoad({ client, ledger, random: random.fork(), writers, prefix: `p${index}`, isOver: () => isOver() });
      await stop(ground, service, end, client);
      client.close();
    } finally {
      await service.stop('SIGKILL');
    }
  }
  writeFileSync(join(ground.folder, 'ledger.json'), JSON.stringify({ stories: ledger.stories, caller }));
}

async function stop(ground: Ground, service: Started, end: 'SIGTERM' | 'kill', client: Client): Promise<void> {
  if (end === 'SIGTERM') {
    const code = await service.stop();
    if (code !== 0) throw new Error(`the recorded service ended with ${code}: ${service.errors()}`);
    return;
  }
  const exited = once(service.process, 'exit');
  ground.watching?.control.arm({ action: 'killBefore', nth: 3, kinds: ['sync'] });
  // Nothing of this is in the ledger: it is only there to be killed, half done.
  while (service.process.signalCode === null) {
    const save = { method: 'POST', path: '/files', headers: { FileName: 'killed' }, body: Buffer.alloc(100) };
    await Promise.race([client.ask(save).catch(() => undefined), exited]);
    await sleep(1);
  }
}

export function readRecord(folder: string): Recorded {
  const { stories, caller } = JSON.parse(readFileSync(join(folder, 'ledger.json'), 'utf8')) as Omit<
    Recorded,
    'effects'
  >;
  return { effects: readEffects(join(folder, 'effects')), stories, caller };
}
