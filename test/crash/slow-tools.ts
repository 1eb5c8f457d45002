// slowhttptest has a go at the service: slow headers, slow bodies and slow reads, as attackers send them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hasProgram } from '../service/programs.ts';
import { countDescriptors, eventually } from '../service/service.ts';
import type { Scene } from './aborts.ts';
import { Bystander } from './bystander.ts';

const seconds = 20;
const patienceMs = 120_000;
const common = ['-c', '800', '-r', '200', '-i', '5', '-l', String(seconds), '-p', '3'];
const ways: Record<string, string[]> = {
  'slow headers': ['-H', '-t', 'GET'],
  'slow bodies': ['-B', '-t', 'POST'],
  'slow reads': ['-X', '-w', '10', '-y', '20', '-n', '5', '-z', '32', '-k', '3'],
};

export async function attackSlowly({ report, service, caller }: Scene): Promise<void> {
  if (!hasProgram('slowhttptest')) {
    report.count('slowhttptest', 'SKIPPED');
    return;
  }
  const pid = service.process.pid as number;
  const descriptors = countDescriptors(pid);
  for (const [way, words] of Object.entries(ways)) {
    const bystander = new Bystander(report, caller);
    const child = spawn('slowhttptest', [...words, ...common, '-u', `${caller.base}/openapi.json`], {
      stdio: 'ignore',
    });
    await once(child, 'exit');
    await bystander.leave(`during slowhttptest, ${way}`);
    report.add('slowhttptest runs', 1);
  }
  await eventually('descriptors come back', () => countDescriptors(pid) <= descriptors + 8, patienceMs);
}
