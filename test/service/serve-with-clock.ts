// `cabinet serve --json` with a clock that runs as the system's does and that the test moves: `startService` sends how many
// milliseconds, and is answered when what became due has run.

import { serve } from '../../src/cli/operator/serve.ts';
import { MovableClock } from '../../src/runtime/clock-for-tests.ts';

const clock = new MovableClock({ isRunning: true });

process.on('message', async (ms: number) => {
  await clock.advance(ms);
  process.send?.('moved');
});

await serve({ json: true }, { clock });
