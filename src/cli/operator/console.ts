// Builds the console before the service starts if it is missing or out of date. In a separate process, so that the build tools do not
// stay in the memory of the service.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { showBuildProgress } from './build-progress.ts';

const timeoutMs = 120_000;

/** Returns the error, if any. The service then starts without the console, or with the previous build. */
export async function prepareConsole(): Promise<string | null> {
  const builder = findBuilder();
  if (builder === null) return null;
  const { canBuild, isBuilt } = await import('@cabinet/console/build');
  if (!canBuild() || isBuilt()) return null;
  const progress = showBuildProgress(process.stderr);
  const child = spawn(process.execPath, [builder], { stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  progress.end(code === 0);
  if (code === 0) return null;
  return `The console could not be built. The service starts without it, or with the previous build.\n${output}`;
}

/** Null in an installed package, which has the built console only. */
function findBuilder(): string | null {
  try {
    return fileURLToPath(import.meta.resolve('@cabinet/console/build'));
  } catch {
    return null;
  }
}
