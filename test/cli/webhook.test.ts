// `cabinet webhook`: what managers of a space do with its webhooks, against a receiver that verifies what arrives.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually, type Registered } from '../service/service.ts';
import { type Receiver, startReceiver } from '../service/webhook-receiver.ts';
import { Person } from './person.ts';

let person: Person;
let receiver: Receiver;

before(async () => {
  receiver = await startReceiver();
  person = await Person.atService({ environment: { CABINET_WEBHOOK_NETWORKS: '127.0.0.0/8' } });
  const scopes = 'content.read content.write content.admin';
  const manager = await person.operate<Registered>(['app', 'add', 'manager', '--scopes', scopes]);
  const { code, stderr } = await person.logIn(person.service.production, manager, []);
  assert.equal(code, 0, stderr);
});
after(async () => {
  receiver.close();
  await person.leave();
});

const show = async (word: string) =>
  (await person.json<{ Webhook: { State: string } }>('webhook', 'show', word)).Webhook;

test('a webhook is added, tested, paused, activated, replayed, rotated and removed', async () => {
  assert.deepEqual(await person.lines('webhook', 'list'), [
    'The space has no webhooks. Create one: cabinet webhook add URL',
  ]);
  await person.lines('mkdir', '/inbox');
  const words = [
    'webhook',
    'add',
    receiver.url,
    '--events',
    'folder.*',
    '--folder',
    '/inbox',
    '--description',
    'index',
  ];
  const { code, stdout, stderr } = await person.run(words);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^whsec_\S+\n$/);
  const [, id = ''] = /^Webhook: (\S+)$/m.exec(stderr) ?? [];
  receiver.secrets.push(stdout.trim());
  assert.deepEqual(await person.lines('webhook', 'list'), [`${id}  active  folder.*  ${receiver.url}`]);

  receiver.reply = () => (response) => response.writeHead(500).end('not now\nlater');
  const [tested = '', ...answer] = await person.lines('webhook', 'test', id.slice(0, 20));
  assert.match(tested, / {2}500 .* attempt 1 {2}cabinet\.webhook\.test {2}test:\S+ {2}The receiver answered 500\.$/);
  assert.deepEqual(answer, ['  not now', '  later']);
  receiver.reply = () => 204;

  await person.lines('webhook', 'pause', receiver.url);
  assert.equal((await show(id)).State, 'paused');
  await person.lines('mkdir', '/inbox/new');
  await person.lines('webhook', 'activate', id);
  const created = () => receiver.received.filter(({ event }) => event.type === 'cabinet.folder.created');
  await eventually('the folder arrives', () => created().length === 1);
  assert.deepEqual(created()[0]?.verifiedBy, receiver.secrets);
  const position = created()[0]?.event.data?.Position ?? 0;
  await person.lines('webhook', 'replay', id, '--from', String(position));
  await eventually('it arrives again', () => created().length === 2);
  await person.lines('webhook', 'replay', id, '--since', '2020-01-01');
  await eventually('so do all', () => created().length === 4);

  const [secret = ''] = await person.lines('webhook', 'rotate', id, '--overlap', '0');
  receiver.secrets.push(secret);
  await person.lines('webhook', 'test', id);
  assert.deepEqual(receiver.received.at(-1)?.verifiedBy, [secret]);
  const sent = await person.lines('webhook', 'deliveries', id, '--limit', '2');
  assert.equal(sent.length, 2);
  assert.match(sent[0] ?? '', / {2}204 .*cabinet\.webhook\.test/);
  const lines = await person.lines('webhook', 'show', id);
  assert.match(
    lines.join('\n'),
    /^Address +http.*\nEvents +folder\.\*\nFolder +.*\nDescription +index\nState +active\n/m,
  );
  assert.deepEqual(await person.lines('webhook', 'remove', id), [`${receiver.url} is removed.`]);
  assert.equal((await person.run(['webhook', 'show', id])).code, 4);
});

test('what is wrong is said, with the exit code of its kind', async () => {
  for (const [words, expected] of [
    [['add'], 2],
    [['add', 'ftp://example.com'], 1],
    [['add', receiver.url, '--events', 'nothing.such'], 1],
    [['add', receiver.url, '--folder', '/nowhere'], 4],
    [['remove', 'nothing'], 4],
    [['replay', 'nothing'], 2],
    [['replay', 'nothing', '--since', 'soon'], 2],
    [['rotate', 'nothing', '--overlap', '604801'], 2],
    [['deliveries', 'nothing', '--limit', '0'], 2],
  ] as const) {
    const { code, stderr } = await person.run(['webhook', ...words]);
    assert.equal(code, expected, `${words.join(' ')}: ${stderr}`);
  }
});
