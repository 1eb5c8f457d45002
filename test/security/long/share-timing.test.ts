// How long the answer takes does not tell an unknown link from one that there was: times, and the processor time of the service. It
// judges times, so it is part of the long run and has the machine to itself.

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, type TestContext, test } from 'node:test';
import { readThreadMicros } from '../../../bench/process-cost.ts';
import { type Caller, createFolder } from '../../interface/client.ts';
import { manage } from '../../interface/managing.ts';
import { dayMs, makeShare, type Share, secretOf, use } from '../../interface/shares.ts';
import {
  addCaller,
  makeDataFolder,
  removeDataFolder,
  type StartedWithClock,
  startService,
} from '../../service/service.ts';
import { compare, compareTimes } from './timing.ts';

const kinds = ['unknown', 'expired', 'revoked', 'suspended'] as const;
type Kind = (typeof kinds)[number];
/** Of each kind. */
const links = 25;
const rounds = 40;
const requestsPerRound = 50;

const dataFolder = makeDataFolder();
let service: StartedWithClock;
let owner: Caller;
const secrets = new Map<Kind, string[]>();

before(async () => {
  service = await startService(dataFolder, { hasClock: true });
  owner = await addCaller(dataFolder, service.production, 'owner');
  const top = await createFolder(owner, owner.application.RootFolderId, 'top');
  const make = async (fields: object = {}): Promise<Share> =>
    await makeShare(owner, (await createFolder(owner, top.Id, randomUUID())).Id, { Password: 'x', ...fields });
  const made = { expired: [] as Share[], revoked: [] as Share[], suspended: [] as Share[] };
  for (let n = 0; n < links; n += 1) {
    await make();
    made.expired.push(await make({ ExpiresAt: new Date(Date.now() + dayMs).toISOString() }));
    made.revoked.push(await make());
    made.suspended.push(await make());
  }
  for (const { Id } of made.revoked) await manage(owner, 'DELETE', `/shares/${Id}`);
  for (const { EntryId } of made.suspended) await manage(owner, 'DELETE', `/entries/${EntryId}`);
  for (const kind of ['expired', 'revoked', 'suspended'] as const) secrets.set(kind, made[kind].map(secretOf));
  secrets.set(
    'unknown',
    made.expired.map(() => randomBytes(32).toString('base64url')),
  );
  await service.advance(2 * dayMs);
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

let at = 0;

function asking(kind: Kind): () => Promise<void> {
  return async () => {
    at += 1;
    const some = secrets.get(kind) ?? [];
    assert.equal((await use(owner, some[at % some.length] ?? '')).status, 404);
  };
}

/** Microseconds of each kind for a request, by round; null away from Linux. Rounds of the kinds alternate. */
async function measureProcessor(): Promise<Map<Kind, number[]> | null> {
  const pid = service.process.pid ?? 0;
  const spent = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      const ask = asking(kind);
      const begin = readThreadMicros(pid);
      for (let n = 0; n < requestsPerRound; n += 1) await ask();
      const end = readThreadMicros(pid);
      if (begin === null || end === null) return null;
      spent.get(kind)?.push((end - begin) / requestsPerRound);
    }
  }
  return spent;
}

test('Unknown links and those that have ended take the same processor time', async (context: TestContext) => {
  for (const kind of kinds) await compareTimes([asking(kind), asking(kind)], 100);
  const spent = await measureProcessor();
  if (spent === null) return context.skip('this needs /proc');
  const unknown = spent.get('unknown') ?? [];
  for (const kind of kinds) {
    const { medianMs, p } = compare(unknown, spent.get(kind) ?? []);
    context.diagnostic(
      `${kind}: ${medianMs[1].toFixed(0)} µs of CPU for each of ${rounds * requestsPerRound} requests, ` +
        `${(medianMs[1] / medianMs[0]).toFixed(3)} of an unknown one, p = ${p.toFixed(3)}`,
    );
    assert.ok(medianMs[1] / medianMs[0] < 1.25 && medianMs[1] / medianMs[0] > 0.8, kind);
  }
});

for (const kind of kinds.slice(1)) {
  test(`The response time does not distinguish a link that is ${kind} from an unknown one`, async (context) => {
    const asks: [() => Promise<void>, () => Promise<void>] = [asking(kind), asking('unknown')];
    // Once more, if need be: the machine does other things, too.
    for (let attempt = 1; ; attempt += 1) {
      const { medianMs, difference, p } = await compareTimes(asks, 1200);
      const [own, other] = medianMs.map((ms) => ms.toFixed(3));
      context.diagnostic(`${own} ms beside ${other} ms, p = ${p.toFixed(3)}`);
      if (difference <= 0.1 || p >= 0.001) return;
      assert.ok(attempt < 2, `${kind}: ${own} ms beside ${other} ms, p = ${p}`);
    }
  });
}
