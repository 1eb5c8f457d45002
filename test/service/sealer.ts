// Seals a journal in ranges of few positions; also as a process that tests can kill: `sealer.ts POSITIONS STEP`. At the given
// step, counted over everything that is read from or written to the disk, it kills itself: before the step if the number is
// odd, behind it if it is even. Prints how many steps there were.

import { type Config, readConfig } from '../../src/config/config.ts';
import { archiveJournal } from '../../src/jobs/archive-journal.ts';
import { openEnvironment } from '../../src/server/environment.ts';

const farFuture = Date.now() + 1000 * 24 * 60 * 60 * 1000;

export interface Sealing {
  positions: number;
  /** Zero: at none. */
  killedAtStep: number;
  now?: number;
}

export async function seal(config: Config, sealing: Sealing): Promise<{ moved: number; steps: number }> {
  let steps = 0;
  const countStep = () => {
    steps += 1;
    if (steps === sealing.killedAtStep) process.kill(process.pid, 'SIGKILL');
  };
  /** Each call is two steps. */
  const counted =
    <Input extends unknown[], Result>(call: (...input: Input) => Promise<Result>) =>
    async (...input: Input): Promise<Result> => {
      countStep();
      const result = await call(...input);
      countStep();
      return result;
    };
  const environment = await openEnvironment(config, 'production', { onFatal: fail, onBackgroundError: fail });
  const { cabinet } = environment;
  const { catalog, journalFiles } = cabinet;
  const stepwise = {
    ...cabinet,
    catalog: { ...catalog, forgetJournal: counted(catalog.forgetJournal) },
    journalFiles: { ...journalFiles, write: counted(journalFiles.write), read: counted(journalFiles.read) },
  };
  try {
    return {
      moved: await archiveJournal(stepwise, { now: sealing.now ?? farFuture, positions: sealing.positions }),
      steps,
    };
  } finally {
    await environment.close();
  }
}

function fail(fault: unknown): never {
  throw fault;
}

if (import.meta.main) {
  const [positions = 0, killedAtStep = 0] = process.argv.slice(2).map(Number);
  const sealing = { positions, killedAtStep };
  process.stdout.write(`${JSON.stringify(await seal(readConfig(), sealing))}\n`);
}
