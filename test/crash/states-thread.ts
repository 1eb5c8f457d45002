// A thread that checks its share of the crash states: it walks through the record once, cuts the power at each of its
// points and looks at what is left.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { checkHeld } from './checker.ts';
import { type CutDisk, Disk } from './disk.ts';
import { type Recorded, readRecord } from './record.ts';
import { drawPoint, seedOfState, toAnswered } from './state-points.ts';
import type { StatesFound, StatesTask } from './states.ts';

const catalog = 'production/catalog.db';

class Walk {
  readonly #task: StatesTask;
  readonly #recorded: Recorded;
  readonly #answered: Map<string, number>;
  readonly #found: StatesFound = { checked: 0, answered: 0, problems: [] };

  constructor(task: StatesTask) {
    this.#task = task;
    this.#recorded = readRecord(task.folder);
    this.#answered = toAnswered(this.#recorded.effects);
  }

  run(): StatesFound {
    const { effects } = this.#recorded;
    const points: { state: number; point: number }[] = [];
    const { from, to, stride, seed } = this.#task;
    for (let state = from; state < to; state += stride) points.push({ state, point: drawPoint(effects, seed, state) });
    points.sort((a, b) => a.point - b.point);
    const disk = new Disk();
    let fed = 0;
    for (const { state, point } of points) {
      for (; fed < point; fed += 1) disk.feed(effects[fed] as (typeof effects)[number]);
      this.#check(state, point, disk.cut(seedOfState(seed, state)));
    }
    return this.#found;
  }

  #check(state: number, point: number, cut: CutDisk): void {
    const path = join(this.#task.scratch, 'catalog.db');
    for (const tail of ['', '-wal', '-shm', '-journal']) rmSync(path + tail, { force: true });
    for (const tail of ['', '-wal', '-journal']) {
      const file = cut.find(catalog + tail);
      if (file !== null) writeFileSync(path + tail, cut.read(file));
    }
    const isAnswered = ({ request }: { request: string }) => (this.#answered.get(request) ?? point) < point;
    const { stories } = this.#recorded;
    const problems = checkHeld({
      catalogPath: path,
      digestOfBlob(blob) {
        const file = cut.find(`production/blobs/${blob.slice(0, 2)}/${blob}`);
        return file === null ? null : cut.digest(file);
      },
      readFile(name) {
        const file = cut.find(`production/${name}`);
        return file === null ? null : Buffer.from(cut.read(file));
      },
      stories,
      isAnswered,
      isDoubtAllowed: () => true,
    });
    this.#found.checked += 1;
    for (const { steps } of stories) for (const step of steps) if (isAnswered(step)) this.#found.answered += 1;
    for (const problem of problems) this.#found.problems.push({ state, point, problem });
  }
}

const task = workerData as StatesTask;
try {
  parentPort?.postMessage(new Walk(task).run());
} finally {
  rmSync(task.scratch, { recursive: true, force: true });
}
