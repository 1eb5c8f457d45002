// The scenario `put`: how fast `cabinet put` sends many small files, compared with the load generator and saves of the same size. The
// command is measured with its start; the generator without. `--size` is the number of files.

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Children } from './children.ts';
import { describeConditions } from './conditions.ts';
import { bodySizeBytes } from './job.ts';
import type { Options } from './options.ts';
import { readCpuMicros } from './process-cost.ts';
import { measureLoad } from './run-load.ts';
import { type Scenario, say } from './scenario.ts';
import { createFolder, type Service, savesInto, startService, toEnvironment } from './service.ts';
import { layOut, median, show } from './table.ts';

/** Of the load generator's rate. */
const leastRatio = 0.7;

type Generated = { perSecond: number; serverMicros: number | null };
type Round = {
  connections: number;
  generated: Generated;
  putPerSecond: number;
  putSeconds: number;
  putMicros: number | null;
};

export const put: Scenario = {
  what: '`cabinet put` of many small files beside the load generator',
  size: 10_000,
  async run(children, options) {
    const size = options.size ?? 0;
    const folder = makeFiles(children, size);
    const service = await startService(children, options);
    const env = await signIn(children, options, service);
    const rounds: Round[] = [];
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const connections of options.connections) {
        const generated = await generate({ children, options, service }, { round, connections });
        const [startMs, startMicros] = [performance.now(), readCpuMicros(service.pid)];
        const args = ['put', folder, `/put ${connections} ${round}/`, '--json', '--quiet'];
        const put = (await children.run({ program: options.program, args, env })) as { Files: number };
        const putSeconds = (performance.now() - startMs) / 1000;
        const putMicros = perFile(startMicros, readCpuMicros(service.pid), size);
        if (put.Files !== size) throw new Error(`${put.Files} files were sent, wanted ${size}`);
        const putPerSecond = size / putSeconds;
        say(
          `round ${round}, ${connections} connections: ${show(generated.perSecond, 0)} saves/s, put ${show(putPerSecond, 0)} files/s`,
        );
        rounds.push({ connections, generated, putPerSecond, putSeconds, putMicros });
      }
    }
    return toOutcome(rounds, options, size);
  },
};

function makeFiles(children: Children, size: number): string {
  const folder = join(children.folder, 'small');
  mkdirSync(folder);
  for (let index = 0; index < size; index += 1) {
    writeFileSync(join(folder, `${randomBytes(6).toString('hex')}.bin`), randomBytes(bodySizeBytes));
  }
  return folder;
}

async function signIn(
  children: Children,
  options: Options,
  { base, application }: Service,
): Promise<NodeJS.ProcessEnv> {
  const env = {
    ...toEnvironment(children, options),
    CABINET_PROFILES: join(children.folder, 'config', 'profiles.json'),
  };
  const args = ['login', base, '--app-key', application.AppKey, '--secret-file', '-', '--json'];
  await children.run({ program: options.program, args, env, input: `${application.Secret}\n` });
  return env;
}

type Stage = { children: Children; options: Options; service: Service };

async function generate(
  { children, options, service }: Stage,
  { round, connections }: { round: number; connections: number },
): Promise<Generated> {
  const label = `${connections}-${round}`;
  const measured = await measureLoad(children, {
    ...savesInto(service, await createFolder(service, `generated ${label}`)),
    label,
    areNamesOrdered: options.areNamesOrdered,
    connections,
    limit: { seconds: options.seconds, warmupSeconds: options.warmupSeconds },
  });
  const serverMicros = measured.serverCpuMicros === null ? null : measured.serverCpuMicros / measured.requests;
  return { perSecond: measured.requests / measured.seconds, serverMicros };
}

function toOutcome(rounds: Round[], options: Options, size: number) {
  const best = Math.max(
    ...options.connections.map((connections) =>
      median(rounds.filter((round) => round.connections === connections).map(({ generated }) => generated.perSecond)),
    ),
  );
  const own = median(rounds.map(({ putPerSecond }) => putPerSecond));
  const ratio = own / best;
  const isHeld = ratio >= leastRatio;
  const cells = rounds.map(({ connections, generated, putPerSecond, putSeconds, putMicros }) => [
    String(connections),
    show(generated.perSecond, 0),
    show(generated.serverMicros, 0),
    show(putPerSecond, 0),
    show(putMicros, 0),
    show(putSeconds, 2),
  ]);
  const table = layOut(
    ['generator: connections', 'saves/s', 'server µs', 'put: files/s', 'server µs', 's in all'],
    cells,
  );
  const verdict = `cabinet put: ${show(own, 0)} files/s, the load generator at its best ${show(best, 0)} saves/s: ratio ${ratio.toFixed(2)} (≥ ${leastRatio}: ${isHeld ? 'holds' : 'missed'}).`;
  const markdown = `${describeConditions(options, [`${size} files of ${bodySizeBytes} bytes`])}\n\n${table}\n\n${verdict}\n`;
  return { markdown, isHeld, figures: { rounds, ratio } };
}

/** The service's processor time, which a busy machine changes less than the rate. */
function perFile(start: number | null, end: number | null, files: number): number | null {
  return start === null || end === null ? null : (end - start) / files;
}
