// Saves beside two webhooks whose receivers fail at random, while the service is killed. In the end every event has arrived, in
// order, at each of them.

import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../crash/random.ts';
import { type Caller, fetchToken, identity, send, toSaved } from '../interface/client.ts';
import { ask, getAll } from '../interface/managing.ts';
import { type Receiver, startReceiver } from '../service/webhook-receiver.ts';

const failureShare = 0.3;
const savers = 8;
const webhooks = 2;
/** Whatever hangs, this long after the last arrival. */
const patienceMs = 120_000;
const lookEveryMs = 20;
/** A webhook that fails is activated again by this test, as a person would do it. After a kill, the service may be away. */
const insistEveryMs = 1000;

export interface Story {
  /** Whoever answers now. */
  caller: Caller;
  saves: number;
  /** What is done in the middle of it, at even distances. Resolves to whoever answers from then on. */
  blows: readonly (() => Promise<{ base: string }>)[];
}

interface Hook {
  id: string;
  secret: string;
  receiver: Receiver;
  /** Positions that were taken, in the order of their arrival. */
  taken: number[];
  failures: number;
  hasFailed: boolean;
  arrivedAt: number;
  insistedAt: number;
}

interface Change {
  Position: number;
  Action: string;
  EntryId: string;
}

export async function tell({ caller, saves, blows }: Story): Promise<void> {
  const random = new Random(Number(process.env.SEED ?? randomInt(2 ** 31)));
  const hooks = await Promise.all(Array.from({ length: webhooks }, () => connect(caller, random)));
  const over = new AbortController();
  const insisting = insist(caller, hooks, over.signal);
  const delivered = new Set<string>();
  try {
    const share = Math.floor(saves / (blows.length + 1));
    for (const [index, blow] of [...blows, null].entries()) {
      const target = index < blows.length ? share * (index + 1) : saves;
      const saving = saveUntil(caller, delivered, target);
      await saving;
      if (blow === null) continue;
      // Saves and deliveries are under way.
      const more = saveUntil(caller, delivered, Math.min(saves, target + Math.ceil(share / 4)));
      await sleep(random.below(200));
      caller.base = (await blow()).base;
      caller.token = await fetchToken(caller.base, caller.application);
      await more;
    }
    const expected = await listCreated(caller);
    for (const id of delivered) assert.ok(expected.has(id), `${id} was answered and is not in the journal`);
    for (const hook of hooks) await checkAll(hook, [...expected.values()]);
  } finally {
    over.abort();
    await insisting;
    for (const { receiver } of hooks) receiver.close();
  }
}

async function connect(caller: Caller, random: Random): Promise<Hook> {
  const receiver = await startReceiver();
  const added = await ask(caller, 'POST', '/webhooks', { Url: receiver.url, Events: ['file.created'] });
  assert.equal(added.status, 200, added.body.toString());
  const { Webhook, Secret: secret } = JSON.parse(added.body.toString()) as { Webhook: { Id: string }; Secret: string };
  const now = performance.now();
  const hook: Hook = {
    ...{ id: Webhook.Id, secret, receiver, taken: [], failures: 0, hasFailed: false },
    ...{ arrivedAt: now, insistedAt: now },
  };
  receiver.secrets.push(secret);
  receiver.reply = ({ verifiedBy, event }) => {
    assert.deepEqual(verifiedBy, [secret]);
    hook.arrivedAt = performance.now();
    hook.hasFailed = random.isTrue(failureShare);
    if (!hook.hasFailed) {
      hook.taken.push(event.data?.Position ?? 0);
      return 204;
    }
    hook.failures += 1;
    return random.isTrue(0.5) ? 500 : (response) => response.destroy();
  };
  return hook;
}

/** Activates what has failed, so that nobody waits for the back-off. */
async function insist(caller: Caller, hooks: readonly Hook[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const hook of hooks) {
      const isSilent = performance.now() - Math.max(hook.arrivedAt, hook.insistedAt) > insistEveryMs;
      if (!hook.hasFailed && !isSilent) continue;
      hook.hasFailed = false;
      hook.insistedAt = performance.now();
      await ask({ ...caller }, 'PATCH', `/webhooks/${hook.id}`, { State: 'active' }).catch(() => undefined);
    }
    await sleep(lookEveryMs);
  }
}

/** Names are numbers. What was not answered is saved again under the same name. */
async function saveUntil(caller: Caller, saved: Set<string>, count: number): Promise<void> {
  let begun = saved.size;
  const work = async () => {
    while (begun < count) {
      begun += 1;
      saved.add(await saveOnce(caller));
    }
  };
  await Promise.all(Array.from({ length: savers }, work));
}

async function saveOnce(caller: Caller): Promise<string> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const headers = { ...identity(caller), FileName: `${crypto.randomUUID()}.txt` };
    const request = { method: 'POST', headers, body: 'x' };
    const answer = await send(caller.base, '/v1/contentmanagement/files', request).catch(() => null);
    if (answer?.status === 200) return toSaved(answer).File.Id;
    assert.ok(performance.now() < deadline, `saves are answered: ${answer?.body.toString()}`);
    await sleep(lookEveryMs);
  }
}

/** By the id of the entry, in the journal's order. */
async function listCreated(caller: Caller): Promise<Map<string, number>> {
  const changes = await getAll<Change>(caller, '/audit?action=file.created&limit=1000', 'Events');
  const sorted = changes.toSorted((left, right) => left.Position - right.Position);
  return new Map(sorted.map(({ EntryId, Position }) => [EntryId, Position]));
}

async function checkAll(hook: Hook, expected: readonly number[]): Promise<void> {
  const last = expected.at(-1);
  while (hook.taken.at(-1) !== last) {
    assert.ok(performance.now() - hook.arrivedAt < patienceMs, `the webhook goes on after ${hook.taken.at(-1)}`);
    await sleep(lookEveryMs);
  }
  // What was taken may come once more, if the service was killed before it had noted that. Nothing else comes twice.
  const once = hook.taken.filter((position, index) => position !== hook.taken[index - 1]);
  assert.deepEqual(once, expected);
  assert.ok(hook.failures > 0);
}
