// Makes the archive of a folder that has all that is published.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Returns the path of the archive. */
export function npmPack(staging: string, folder: string): string {
  const options = ['--json', '--ignore-scripts', '--pack-destination', folder];
  const output = execFileSync('npm', ['pack', ...options], { cwd: staging, stdio: ['ignore', 'pipe', 'inherit'] });
  const [packed] = JSON.parse(output.toString()) as { filename: string }[];
  return join(folder, packed?.filename ?? '');
}
