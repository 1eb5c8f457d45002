// `node test/model/grants/run.ts [--sequences N | --seconds N] [--seed S] [--workers W] [--path P]`: random sequences in which people grant, revoke,
// move, copy, trash and restore, are put into groups and roles, and make links that strangers use, against a running service and a model
// in memory. With `--path` only the sequence that failed runs again, and what is shorter. What each person sees on every face, and whoever has a link, must be the model's. It prints how much was compared, or the seed and the shortest sequence that fails.

import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { eventually, makeDataFolder, removeDataFolder, startService } from '../../service/service.ts';
import { type Act, outcomes, type Sequence } from './act.ts';
import { anyAct, beginning } from './acts.ts';
import { commonWord, Faces, tally } from './faces.ts';
import { LinkFaces, states } from './link-faces.ts';
import { Model } from './model.ts';
import { Replicas } from './replicas.ts';
import { Place, people, read, type Space } from './world.ts';

const maxActs = 14;
/** After this act. */
const followedFrom = 8;
const maxShrinkingMs = 20_000;
const sequencesPerSecond = 50;

interface Run {
  sequences: number;
  acts: number;
  endsAt: number;
  hasFailed: boolean;
}

async function open(space: Space, number: number): Promise<Sequence> {
  const name = `${commonWord} top ${number}`;
  const fields = { ParentFolderId: '-root-', FolderName: name };
  const { Folder } = read<{ Folder: { Id: string } }>(await space.json('app', 'POST', '/folders', fields));
  const model = new Model(Folder.Id, name);
  return {
    space,
    model,
    faces: new Faces(space, model),
    links: new LinkFaces(space, model),
    replicas: new Replicas(space, model),
  };
}

async function runAll(sequence: Sequence, acts: readonly Act[], run: Run): Promise<void> {
  for (const [index, act] of acts.entries()) {
    await act.run(sequence);
    run.acts += 1;
    await sequence.links.compareStates();
    // From here on they follow the changes.
    if (index === followedFrom) for (const who of people) await sequence.replicas.compare(who);
    for (const who of people) sequence.replicas.noteSeen(who);
  }
  const { model, faces, links, replicas } = sequence;
  const there = model.nodes.filter((node) => model.isThere(node)).length;
  await eventually('everything is indexed', async () => (await faces.search('app', '')).length === there, 5_000);
  await links.compareAll();
  await links.compareCounts();
  for (const who of people) {
    await faces.compareAll(who);
    await faces.compareFound(who);
    await replicas.compare(who);
  }
}

/** Takes away what the sequence made, so that the next one finds an empty space. */
async function close({ space, model }: Sequence): Promise<void> {
  await space.ask('app', `/entries/${model.top.id}?permanent=true`, { method: 'DELETE' });
  await space.ask('app', '/trash', { method: 'DELETE' });
  for (const name of model.groups.keys()) await space.ask('app', `/groups/${name}`, { method: 'DELETE' });
  for (const person of model.roles.keys()) await space.setRole(person, null);
}

interface Replay {
  seed: number;
  numRuns: number;
  /** Empty: from the beginning. */
  path: string;
}

/** Null, or what failed. */
async function runWorker(run: Run, space: Space, { seed, numRuns, path }: Replay): Promise<string | null> {
  let number = 0;
  let failedAt: number | null = null;
  const acts = fc.array(anyAct, { minLength: 3, maxLength: maxActs, size: 'max' });
  const property = fc.asyncProperty(beginning, acts, async ([tree, grants], rest) => {
    if (Date.now() > (failedAt === null ? run.endsAt : failedAt + maxShrinkingMs)) return;
    if (failedAt === null && run.hasFailed) return;
    number += 1;
    const sequence = await open(space, number);
    try {
      await runAll(sequence, [...tree, ...grants, ...rest], run);
      run.sequences += 1;
    } catch (error) {
      run.hasFailed = true;
      failedAt ??= Date.now();
      throw error;
    } finally {
      await close(sequence);
    }
  });
  const details = await fc.check(property, { seed, numRuns, path });
  if (!details.failed) return null;
  const [[tree, grants], rest] = details.counterexample ?? [[[], []], []];
  const cause = details.errorInstance instanceof Error ? details.errorInstance.stack : String(details.errorInstance);
  const steps = [...tree, ...grants, ...rest].map((act) => `  ${act}`).join('\n');
  const again = `node test/model/grants/run.ts --workers 1 --seed ${details.seed} --path ${details.counterexamplePath}`;
  return `The service and the model differ.\n${again}\n${steps}\n${cause}`;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      sequences: { type: 'string' },
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      workers: { type: 'string', default: '3' },
      path: { type: 'string', default: '' },
    },
  });
  const [seed, workers, seconds] = [Number(values.seed), Number(values.workers), Number(values.seconds)];
  const sequences = Number(values.sequences ?? sequencesPerSecond * seconds);
  const dataFolder = makeDataFolder();
  const service = await startService(dataFolder, { environment: { CABINET_HTTP_THREADS: '1' } });
  const place = new Place(service.production, dataFolder);
  await place.addPeople();
  const begun = Date.now();
  const endsAt = values.sequences === undefined ? begun + seconds * 1000 : Number.POSITIVE_INFINITY;
  const run: Run = { sequences: 0, acts: 0, endsAt, hasFailed: false };
  const spaces: Space[] = [];
  for (let worker = 0; worker < workers; worker += 1) spaces.push(await place.addSpace(`space-${worker}`));
  const share = Math.ceil(sequences / workers);
  const { path } = values;
  const results = await Promise.all(
    spaces.map((space, worker) => runWorker(run, space, { seed: seed + worker, numRuns: share, path })),
  );
  const failures = results.filter((result) => result !== null);
  place.close();
  await service.stop();
  const list = (counts: Map<string, number>) => [...counts].map(([what, times]) => `${what} ${times}`).join(', ');
  console.log(
    `${run.sequences} sequences of ${run.acts} acts (${list(outcomes)}), links (${list(states)}), ${place.requests} requests, ${tally.comparisons} comparisons, ` +
      `${((Date.now() - begun) / 1000).toFixed(0)} s, seed ${seed}: ${failures.length === 0 ? 'no difference' : 'FAILED'}`,
  );
  for (const failure of failures) console.error(failure);
  removeDataFolder(dataFolder);
  return failures.length === 0 ? 0 : 1;
}

process.exitCode = await main();
