// Crash states that the service itself is started on: it must come up, show and give back what had been answered, and save.

import { hash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { download, listFolder, saveFile } from '../interface/client.ts';
import { type CutDisk, Disk } from './disk.ts';
import { checkStopped, type Ground, openGround, renew, startOn } from './ground.ts';
import { expectAfter, type Story } from './ledger.ts';
import { type Recorded, readRecord } from './record.ts';
import type { Report } from './report.ts';
import { drawPoint, seedOfState, toAnswered } from './state-points.ts';

/** States of the threads are counted from zero; these from here on. */
const firstServed = 1_000_000;

export interface ServedTask {
  folder: string;
  seed: number;
  count: number;
}

export async function serveStates(report: Report, { folder, seed, count }: ServedTask): Promise<void> {
  if (count === 0) return;
  const recorded = readRecord(folder);
  for (let state = firstServed; state < firstServed + count; state += 1) {
    const point = drawPoint(recorded.effects, seed, state);
    const disk = new Disk();
    for (const effect of recorded.effects.slice(0, point)) disk.feed(effect);
    const ground = openGround({ isWatched: false });
    const where = `state ${state} served (--seed ${seed}), effect ${point}`;
    try {
      write(ground, disk.cut(seedOfState(seed, state)));
      await serve({ report, where, ground, recorded, point });
    } catch (error) {
      report.wrong(`${where}: ${error instanceof Error ? error.stack : error}`);
    } finally {
      ground.close();
    }
    report.add('served', 1);
  }
}

function write(ground: Ground, cut: CutDisk): void {
  mkdirSync(ground.dataFolder, { recursive: true });
  const paths = [...cut.names.keys()].filter((path) => path !== '').sort();
  for (const path of paths) {
    const file = cut.find(path);
    if (file === null) continue;
    const target = join(ground.dataFolder, path);
    mkdirSync(file.isFolder ? target : dirname(target), { recursive: true, mode: 0o700 });
    if (!file.isFolder) writeFileSync(target, cut.read(file), { mode: 0o600 });
  }
}

interface Served {
  report: Report;
  where: string;
  ground: Ground;
  recorded: Recorded;
  point: number;
}

async function serve({ report, where, ground, recorded, point }: Served): Promise<void> {
  const answered = toAnswered(recorded.effects);
  const isAnswered = ({ request }: { request: string }) => (answered.get(request) ?? point) < point;
  const service = await startOn(ground);
  try {
    // Before the first answer the application itself may not be there.
    if (recorded.stories.some(({ steps }) => steps.some(isAnswered))) {
      const caller = await renew(ground, service.production, recorded.caller);
      const shown = new Map((await listFolder(caller, '-root-')).map((entry) => [entry.Name, entry]));
      for (const story of recorded.stories) {
        const wanted = toWanted(story, isAnswered);
        const entry = shown.get(story.name);
        if (wanted === null || entry === undefined) continue;
        if (entry.Type !== 'file') continue;
        const actual = hash('sha256', await download(caller, entry.Id));
        if (!wanted.includes(actual)) report.wrong(`${where}: ${story.name} is given back with other bytes`);
      }
      await saveFile(caller, { FolderId: '', FileName: 'after the crash' }, 'saved');
    }
    const code = await service.stop();
    if (code !== 0) report.wrong(`${where}: it ended with ${code}`);
  } finally {
    await service.stop('SIGKILL');
  }
  report.tell(checkStopped(ground, { stories: recorded.stories, isAnswered, isDoubtAllowed: () => true }), where);
}

/** The digests that a file may have: as answered, or one step further. Null: it need not be visible. */
function toWanted({ steps }: Story, isAnswered: (step: Story['steps'][number]) => boolean): string[] | null {
  const count = steps.findLastIndex(isAnswered) + 1;
  const now = expectAfter(steps.slice(0, count));
  const next = expectAfter(steps.slice(0, count + 1));
  if (now.place !== 'visible') return null;
  return [now.digests.at(-1), next.digests.at(-1)].filter((digest) => digest !== undefined);
}
