// The scenario `profile`: where the processor time of one durable save goes. Needs Linux and `perf`, which samples all threads of
// the service under full load, kernel included; `parts.ts` assigns the samples.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { hasProgram } from '../test/service/programs.ts';
import { describeConditions } from './conditions.ts';
import type { Measurement } from './job.ts';
import type { Options } from './options.ts';
import { type Part, sumParts } from './parts.ts';
import { measureLoad } from './run-load.ts';
import { type Scenario, say, sleep } from './scenario.ts';
import { createFolder, savesInto, startService } from './service.ts';
import { layOut } from './table.ts';

const connections = 128;
const warmupSeconds = 20;
const seconds = 10;
const samplesPerSecond = 999;
const mostScriptBytes = 2 ** 30;
/** V8 writes the addresses of its code to /tmp/perf-PID.map. */
const nodeFlags = '--perf-basic-prof';

export const profile: Scenario = {
  what: 'where the processor time of a save goes, by part (needs perf)',
  size: null,
  async run(children, options) {
    requirePerf();
    const inherited = process.env.NODE_OPTIONS ?? '';
    process.env.NODE_OPTIONS = `${inherited} ${nodeFlags}`.trim();
    const service = await startService(children, options);
    process.env.NODE_OPTIONS = inherited;
    const target = { ...savesInto(service, await createFolder(service, 'profile')), areNamesOrdered: false };
    const job = { ...target, label: 'p', connections, limit: { seconds, warmupSeconds } };
    const loading = measureLoad(children, job);
    await sleep(warmupSeconds * 1000);
    const file = join(children.folder, 'perf.data');
    await record(service.pid, file);
    const measured = await loading;
    say('reading the samples');
    const script = execFileSync('perf', ['script', '-i', file, '-F', 'comm,tid,ip,sym'], {
      encoding: 'utf8',
      maxBuffer: mostScriptBytes,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const parts = sumParts(script);
    return { markdown: toMarkdown(parts, measured, options), isHeld: true, figures: { parts, measured } };
  },
};

function requirePerf(): void {
  if (!hasProgram('perf')) throw new Error('perf is missing. On Debian: apt-get install linux-perf');
}

/** For as long as the load is measured. */
async function record(pid: number, file: string): Promise<void> {
  const args = ['record', '-F', String(samplesPerSecond), '-g', '-p', String(pid), '-o', file];
  const perf = spawn('perf', [...args, '--', 'sleep', String(seconds)], { stdio: 'ignore' });
  const [code] = await once(perf, 'exit');
  if (code !== 0) throw new Error(`perf ended with ${code}: may this user sample (kernel.perf_event_paranoid)?`);
}

function toMarkdown(parts: readonly Part[], { requests, serverCpuMicros }: Measurement, options: Options): string {
  const microsPerSave = (serverCpuMicros ?? 0) / requests;
  const all = parts.reduce((sum, { samples }) => sum + samples, 0);
  const cells = parts.map(({ what, samples }) => [
    what,
    ((100 * samples) / all).toFixed(1),
    ((microsPerSave * samples) / all).toFixed(0),
  ]);
  const facts = [`saves of 4 KiB over ${connections} connections`, `${all} samples in ${seconds} s`];
  const table = layOut(['Part', 'Share %', 'µs'], cells);
  return `${describeConditions(options, facts)}\n\n${table}\n\n${microsPerSave.toFixed(0)} µs of processor time per save, with perf beside it.\n`;
}
