// Builds the console before the service starts if it is missing or out of date. In a separate process, so that the build tools do not
// stay in the memory of the service.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { canBuild, isBuilt } from '@cabinet/console/build';

const builder = fileURLToPath(import.meta.resolve('@cabinet/console/build'));
const timeoutMs = 120_000;

/** Returns the error, if any. The service then starts without the console, or with the previous build. */
export async function prepareConsole(): Promise<string | null> {
  if (!canBuild() || isBuilt()) return null;
  process.stderr.write('Building the console; this happens only when its sources have changed.\n');
  const child = spawn(process.execPath, [builder], { stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0
    ? null
    : `The console could not be built; the service runs without it or with an older one.\n${output}`;
}
