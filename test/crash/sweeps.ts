// The sweeper and saves side by side, with a sweeper that never rests and finds everything old enough: what it may remove is
// decided by nothing but whether a record points there or will.

import { checkStopped, openGround, type Preload, renew, startOn } from './ground.ts';
import { Ledger } from './ledger.ts';
import { Random } from './random.ts';
import { Report } from './report.ts';
import { Client, runLoad } from './workload.ts';

const writers = 24;
const steps = 250;

/** `preload` must bring the busy sweeper. */
export async function runSweeps({ seed, preload }: { seed: number; preload: Preload }): Promise<Report> {
  const report = new Report(`sweeps (seed ${seed})`);
  const ground = openGround({ isWatched: false, preload });
  const service = await startOn(ground);
  try {
    const ledger = new Ledger();
    const client = new Client(await renew(ground, service.production, null), writers);
    const isOver = () => ledger.count('done') >= steps;
    await runLoad({ client, ledger, random: new Random(seed), writers, prefix: 's', isOver });
    client.close();
    const code = await service.stop();
    if (code !== 0) report.wrong(`it ended with ${code}: ${service.errors()}`);
    const isAnswered = ({ outcome }: { outcome: string }) => outcome === 'done';
    report.tell(
      checkStopped(ground, { stories: ledger.stories, isAnswered, isDoubtAllowed: () => true }),
      'in the end',
    );
    report.count('steps answered', ledger.count('done'));
    for (const surprise of ledger.surprises) report.wrong(surprise);
  } finally {
    await service.stop('SIGKILL');
    ground.close();
  }
  return report;
}
