// `npm run test:model -- [--sequences N | --seconds N] [--seed S] [--workers W]`: short sequences of commands, by the thousand, against a
// running service and a model in memory, which must never differ; the service is killed and started again between
// commands. It prints how many ran, or the seed and the shortest sequence that fails. Without N: as many as fit into a minute.

import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import type { Caller } from '../interface/client.ts';
import { readFolder } from '../interface/client.ts';
import { Follower, readToEnd } from '../interface/follower.ts';
import { listTrash } from '../interface/life.ts';
import { makeDataFolder, removeDataFolder } from '../service/service.ts';
import { assertUsageIsExact } from '../service/usage.ts';
import { tally } from './choices.ts';
import { anyCommand, beginning } from './commands.ts';
import { Service, World } from './world.ts';

const maxCommands = 16;
const restartEveryMs = 8000;
/** More than run in a second. */
const sequencesPerSecond = 100;

interface Run {
  service: Service;
  sequences: number;
  /** No sequence begins after this. */
  endsAt: number;
  /** One worker has failed: the others come to an end. */
  hasFailed: boolean;
}

/** Null, or what failed. */
async function runWorker(run: Run, caller: Caller, seed: number, sequences: number): Promise<string | null> {
  let number = 0;
  let isShrinking = false;
  const property = fc.asyncProperty(
    beginning,
    fc.commands([anyCommand(restartEveryMs)], { maxCommands, size: 'max' }),
    async (first, commands) => {
      if (!isShrinking && (run.hasFailed || Date.now() > run.endsAt)) return;
      number += 1;
      const world = await World.open(run.service, caller, `sequence ${number}`);
      try {
        for (const command of first) await command.run(world.model, world);
        await fc.asyncModelRun(() => ({ model: world.model, real: world }), commands);
        await world.compareAll();
        run.sequences += 1;
      } catch (error) {
        run.hasFailed = true;
        isShrinking = true;
        throw error;
      } finally {
        await world.close().catch((error: unknown) => {
          if (!run.hasFailed) throw error;
        });
      }
    },
  );
  const details = await fc.check(property, { seed, numRuns: sequences });
  if (!details.failed) return null;
  const [first = [], commands = []] = details.counterexample ?? [];
  const cause = details.errorInstance instanceof Error ? details.errorInstance.stack : String(details.errorInstance);
  const again = `npm run test:model -- --workers 1 --seed ${seed} --sequences ${details.numRuns}`;
  const steps = [...first, ...commands].map((command) => `  ${command}`).join('\n');
  return `The service and the model differ.\n${again}\n${steps}\n${cause}`;
}

/** When all sequences are over and have taken everything away, nothing is left, nor is anything counted. */
async function checkEmpty(caller: Caller): Promise<void> {
  const { Folder, Children } = await readFolder(caller, '-root-');
  assert.deepEqual([Folder.Size, Children], [0, []]);
  assert.deepEqual(await listTrash(caller), []);
  for (const from of ['', 'from=snapshot']) {
    const { Changes } = await readToEnd(caller, from);
    assert.equal(new Follower().apply(Changes).toTree(caller.application.RootFolderId).size, 0);
  }
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      sequences: { type: 'string' },
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      workers: { type: 'string', default: '6' },
    },
  });
  const [seed, workers] = [Number(values.seed), Number(values.workers)];
  const sequences = Number(values.sequences ?? sequencesPerSecond * Number(values.seconds));
  const dataFolder = makeDataFolder();
  const begun = Date.now();
  const service = await Service.start(dataFolder);
  const endsAt = values.sequences === undefined ? Date.now() + Number(values.seconds) * 1000 : Number.POSITIVE_INFINITY;
  const run: Run = { service, sequences: 0, endsAt, hasFailed: false };
  const names = Array.from({ length: workers }, (_, worker) => `worker-${worker}`);
  const callers = await Promise.all(names.map((name) => service.addCaller(name)));
  const share = Math.ceil(sequences / workers);
  const results = await Promise.all(callers.map((caller, worker) => runWorker(run, caller, seed + worker, share)));
  const failures = results.filter((result) => result !== null);
  if (failures.length === 0) for (const caller of callers) await checkEmpty(caller);
  if (failures.length === 0) {
    await service.stop();
    assertUsageIsExact(dataFolder);
  } else await service.stop().catch(() => undefined);
  const seconds = ((Date.now() - begun) / 1000).toFixed(0);
  console.log(
    `${run.sequences} sequences of ${tally.commands} commands (${tally.refused} rightly refused), ${service.requests} turns at the ` +
      `service, ${service.restarts} restarts, ${service.restores} of them restored from a backup, ${seconds} s, seed ${seed}: ${failures.length === 0 ? 'no difference' : 'FAILED'}`,
  );
  for (const failure of failures) console.error(failure);
  removeDataFolder(dataFolder);
  return failures.length === 0 ? 0 : 1;
}

process.exitCode = await main();
