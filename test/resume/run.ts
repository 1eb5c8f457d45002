// `npm run test:resume -- --uploads N [--seed S]`: N uploads by clients that were not written here, through a network that cuts them
// off at random, while the service is killed and started again. All must arrive, once, with the right digest, and nothing may be left.
// `--large` uploads 10 GiB, cut five times and once by a kill of the service, at constant memory on both ends (`--gib N` for less).

import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findFreePort } from '../free-ports.ts';
import type { Entry } from '../interface/assertions.ts';
import { type Caller, call, identity, listFolder, makeFolder } from '../interface/client.ts';
import { hasProgram } from '../service/programs.ts';
import { addCaller, type Environment, makeDataFolder, removeDataFolder, startService } from '../service/service.ts';
import { Cutter, type Random, toRandom } from './cutter.ts';
import { byCurl, type Job, type Judge, Tuspy, tusJs } from './judges.ts';
import { runLarge } from './large.ts';
import { checkLeftovers } from './leftovers.ts';

const atOnce = 6;
const restartEveryMs = 4_000;
const readyWithinMs = 180_000;
const share = 0.75;
const withinBytes = 500_000;

const { values } = parseArgs({
  options: {
    uploads: { type: 'string', default: '60' },
    seed: { type: 'string' },
    large: { type: 'boolean', default: false },
    gib: { type: 'string', default: '10' },
  },
});

if (values.large) await runLarge(Number(values.gib));
else await run(Number(values.uploads), Number(values.seed ?? randomBytes(3).readUIntBE(0, 3)));

interface Planned extends Job {
  judge: Judge;
  who: string;
  sha256: string;
}

async function run(count: number, seed: number): Promise<void> {
  const begun = performance.now();
  const random = toRandom(seed);
  const dataFolder = makeDataFolder();
  // The same port after each start: tokens are of one address.
  const environment: Environment = { CABINET_UPLOAD_HOURS: '1', CABINET_PORT: String(await findFreePort()) };
  let service = await startService(dataFolder, { environment, readyWithinMs });
  const caller = await addCaller(dataFolder, service.production, 'judges');
  const folder = await makeFolder(caller);
  const cutter = await Cutter.open({ random: toRandom(seed + 1), share, withinBytes });
  cutter.target = portOf(service.production);
  const tuspy = new Tuspy();
  const jobs = plan({
    count,
    random,
    folder,
    caller,
    tuspy,
    base: cutter.url,
    filesFolder: join(dataFolder, '..', 'files'),
  });
  const problems: string[] = [];
  let isOver = false;
  let restarts = 0;
  const restarting = (async () => {
    for (let startMs = 0; !isOver; ) {
      // Most of the time it is there, however long a start takes.
      await pause(Math.max(restartEveryMs, 2 * startMs) * (0.5 + random()));
      if (isOver) return;
      cutter.target = null;
      await service.stop('SIGKILL');
      cutter.cutAll();
      const killedAt = performance.now();
      service = await startService(dataFolder, { environment, readyWithinMs });
      startMs = performance.now() - killedAt;
      cutter.target = portOf(service.production);
      restarts += 1;
    }
  })();
  await upload(jobs, tuspy, problems);
  isOver = true;
  await restarting;
  caller.base = service.production;
  problems.push(...(await checkFiles(caller, folder, jobs)));
  await service.stop();
  const left = await checkLeftovers(dataFolder, environment, jobs);
  problems.push(...left.problems);
  await cutter.close();
  tuspy.stop();
  const byWho = Object.entries(Object.groupBy(jobs, ({ who }) => who)).map(([who, some]) => `${some?.length} ${who}`);
  const ways = Object.entries(cutter.cuts).map(([way, cuts]) => `${cuts} ${way}`);
  console.log(
    `seed ${seed}: ${byWho.join(', ')}; cuts: ${ways.join(', ')}; ${left.begunInVain} uploads begun whose address got lost`,
  );
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
  const seconds = Math.round((performance.now() - begun) / 1000);
  console.log(
    `${count} uploads in ${seconds} s, ${cutter.count} cuts, ${restarts} restarts by kill -9: ${problems.length} problems`,
  );
  if (problems.length === 0) removeDataFolder(dataFolder);
  // Said outright: with sockets that were cut in the middle, Node can wait for their end for ever while it takes itself apart.
  process.exit(problems.length === 0 && cutter.count > 0 ? 0 : 1);
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

interface Plan {
  count: number;
  random: Random;
  folder: Entry;
  caller: Caller;
  tuspy: Tuspy;
  base: string;
  filesFolder: string;
}

function plan({ count, random, folder, caller, tuspy, base, filesFolder }: Plan): Planned[] {
  mkdirSync(filesFolder);
  const judges: [string, Judge][] = [
    ['tus-js-client', tusJs('tus-v1')],
    ['tus-js-client (draft 03)', tusJs('ietf-draft-03')],
    ['tus-js-client (draft 05)', tusJs('ietf-draft-05')],
  ];
  if (hasProgram('curl')) judges.push(['curl', byCurl(6)], ['curl (version 3)', byCurl(3)]);
  if (hasProgram('tuspy')) judges.push(['tuspy', tuspy.plan]);
  const headers = { ...(identity(caller) as Record<string, string>), FolderId: folder.Id };
  return Array.from({ length: count }, (_, index) => {
    const [who, judge] = judges[index % judges.length] as [string, Judge];
    const bytes = randomBytes(toSize(random, index));
    const name = `${index} ü.bin`;
    const path = join(filesFolder, String(index));
    writeFileSync(path, bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { name, path, sizeBytes: bytes.length, base, headers, random, judge, who, sha256 };
  });
}

/** Small ones, which end in the catalog; most are larger; some of many pieces. */
function toSize(random: Random, index: number): number {
  if (index % 10 === 0) return 1 + Math.floor(random() * 65_536);
  return Math.floor(65_537 + random() * (index % 7 === 0 ? 6_000_000 : 1_500_000));
}

async function upload(jobs: readonly Planned[], tuspy: Tuspy, problems: string[]): Promise<void> {
  const isOfTuspy = ({ judge }: Planned) => judge === tuspy.plan;
  const judged = async (job: Planned) =>
    await job.judge(job).catch((error: Error) => problems.push(`${job.who}, ${job.name}: ${error.message}`));
  const planned = jobs.filter(isOfTuspy).map(judged);
  tuspy.start();
  const waiting = jobs.filter((job) => !isOfTuspy(job));
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await judged(job);
  };
  await Promise.all([...planned, ...Array.from({ length: atOnce }, work)]);
}

async function checkFiles(caller: Caller, folder: Entry, jobs: readonly Planned[]): Promise<string[]> {
  const problems: string[] = [];
  const there = new Map((await listFolder(caller, folder.Id)).map((entry) => [entry.Name, entry]));
  if (there.size !== jobs.length) problems.push(`${there.size} files instead of ${jobs.length}`);
  for (const { name, who, sha256, sizeBytes } of jobs) {
    const entry = there.get(name);
    if (entry === undefined) {
      problems.push(`${who}, ${name}: is not there`);
      continue;
    }
    const shown = JSON.parse(String((await call(caller, `/entries/${entry.Id}`)).body)) as {
      Sha256: string;
      Version: number;
    };
    if (shown.Sha256 !== sha256 || entry.Size !== sizeBytes) problems.push(`${who}, ${name}: has other bytes`);
    if (shown.Version !== 1) problems.push(`${who}, ${name}: was saved ${shown.Version} times`);
    const hash = createHash('sha256').update((await call(caller, `/files/${entry.Id}/content`)).body);
    if (hash.digest('hex') !== sha256) problems.push(`${who}, ${name}: is read as other bytes`);
  }
  return problems;
}
