// Seals a journal in ranges of few positions, as a process that tests can kill: `sealer.ts POSITIONS [STEP [NOW]]`. At the given
// step, counted over everything that is read from or written to the disk, it kills itself: before the step if the number is
// odd, behind it if it is even. Prints how many steps there were.

import { readConfig } from '../../src/config.ts';
import { openEnvironment } from '../../src/environment.ts';
import { sealJournal } from '../../src/operations/seal-journal.ts';

const farFuture = Date.now() + 1000 * 24 * 60 * 60 * 1000;
const [positions, step = '0', now = String(farFuture)] = process.argv.slice(2);
let steps = 0;

const fail = (fault: unknown) => {
  throw fault;
};
const { cabinet, close } = await openEnvironment(readConfig(), 'production', { onFatal: fail, onTrouble: fail });

/** Each call is two steps. */
function killed<Input extends unknown[], Result>(call: (...input: Input) => Promise<Result>) {
  return async (...input: Input): Promise<Result> => {
    countStep();
    const result = await call(...input);
    countStep();
    return result;
  };
}

function countStep(): void {
  steps += 1;
  if (steps === Number(step)) process.kill(process.pid, 'SIGKILL');
}

const { catalog, journalFiles } = cabinet;
const moved = await sealJournal(
  {
    ...cabinet,
    catalog: { ...catalog, forgetJournal: killed(catalog.forgetJournal) },
    journalFiles: { ...journalFiles, write: killed(journalFiles.write), read: killed(journalFiles.read) },
  },
  Number(now),
  Number(positions),
);
await close();
process.stdout.write(`${JSON.stringify({ moved, steps })}\n`);
