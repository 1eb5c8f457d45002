// How long an answer takes does not tell what exists: neither an entry of another space nor an AppKey. It judges times, so it is part
// of the long run and has the machine to itself.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type Answer, askToken, basicAuthorization, type Caller, call, createFolder } from '../../interface/client.ts';
import { addCaller, makeDataFolder, removeDataFolder, type Started, startService } from '../../service/service.ts';
import { unknownId } from '../foreign-ways.ts';
import { type Compared, compare, compareTimes } from './timing.ts';

const dataFolder = makeDataFolder();
let service: Started;
let left: Caller;
let right: Caller;

before(async () => {
  service = await startService(dataFolder);
  left = await addCaller(dataFolder, service.production, 'left');
  right = await addCaller(dataFolder, service.production, 'right');
});

after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

/** Once more, if need be: the machine does other things, too. */
async function assertAlike(
  measure: () => Promise<Compared>,
  isDistinguished: (compared: Compared) => boolean,
): Promise<void> {
  const first = await measure();
  if (!isDistinguished(first)) return;
  const second = await measure();
  assert.ok(!isDistinguished(second), `they can be distinguished: ${JSON.stringify([first, second])}`);
}

test('The rank test finds a difference only where there is one', () => {
  const noise = () => Array.from({ length: 1500 }, () => 1 + Math.random());
  const slower = noise().map((value) => value * 1.08);
  assert.ok(compare(noise(), slower).p < 0.001);
  assert.ok(compare(noise(), noise()).p > 1e-6);
  const same = noise();
  assert.ok(compare(same, [...same]).p > 0.9);
});

for (const isShown of [true, false]) {
  const which = isShown ? 'that was just shown' : 'that nobody looked at';
  test(`The response time does not distinguish a foreign folder ${which} from an unknown one`, async () => {
    const count = 40;
    const foreign: string[] = [];
    for (let n = 0; n < count; n += 1)
      foreign.push((await createFolder(right, right.application.RootFolderId, `${which} ${n}`)).Id);
    if (isShown) for (const id of foreign) await call(right, `/folders/${id}`);
    const unknown = foreign.map(unknownId);
    let at = 0;
    const askOne = (ids: string[]) => async () => {
      at += 1;
      const answer = await call(left, `/folders/${ids[at % count]}`);
      assert.equal(answer.status, 404);
    };
    const asks: [() => Promise<void>, () => Promise<void>] = [askOne(foreign), askOne(unknown)];
    await compareTimes(asks, 200);
    await assertAlike(
      () => compareTimes(asks, 1600),
      ({ difference, p }) => difference > 0.05 && p < 0.001,
    );
  });
}

const wrongSecret = `cs_${'x'.repeat(43)}`;
const unknownKey = `ak_${'0'.repeat(32)}`;

function askWrongly(appKey: string): Promise<Answer> {
  const headers = { requesttrackingid: randomUUID(), Authorization: basicAuthorization(appKey, wrongSecret) };
  return askToken(service.production, { grant_type: 'client_credentials' }, headers);
}

test('The response time does not distinguish an unknown AppKey from a wrong secret', async () => {
  // Beyond the limit of an address every answer is the same, whatever it names; the work before it is what it was.
  for (let n = 0; n < 650; n += 1) await askWrongly(n % 2 === 0 ? unknownKey : left.application.AppKey);
  const asks: [() => Promise<Answer>, () => Promise<Answer>] = [
    () => askWrongly(unknownKey),
    () => askWrongly(left.application.AppKey),
  ];
  await assertAlike(
    () => compareTimes(asks, 800),
    ({ difference, p }) => difference > 0.15 && p < 0.001,
  );
});
