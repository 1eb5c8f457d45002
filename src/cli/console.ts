// Builds the console before the service starts, where `npm ci` did not or its sources have changed since: in a process of its
// own, so that nothing of the tools stays in the service's memory.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { canBuild, isBuilt } from '@cabinet/console/build';

const builder = fileURLToPath(import.meta.resolve('@cabinet/console/build'));
const longestMs = 120_000;

/** Returns what went wrong; the service starts without the page, or with the one that was built before. */
export async function prepareConsole(): Promise<string | null> {
  if (!canBuild() || isBuilt()) return null;
  process.stderr.write('Building the console; this happens only when its sources have changed.\n');
  const child = spawn(process.execPath, [builder], { stdio: ['ignore', 'pipe', 'pipe'], timeout: longestMs });
  let told = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0
    ? null
    : `The console could not be built; the service runs without it or with an older one.\n${told}`;
}
