// What a sender of webhooks may connect to. Names are resolved by the tests, connections and listeners are real.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Refusal } from '../domain/refusal.ts';
import { systemClock } from '../runtime/clock.ts';
import { MovableClock } from '../runtime/clock-for-tests.ts';
import { WebhookSender } from './webhook-sender.ts';

const message = { headers: {}, body: '{}', attempt: 1 };
const nobody = () => false;

/** Addresses that an https receiver must not have. */
const forbidden = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a00:1::',
  '3fff::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%lo',
  'febf::1',
  'fec0::1',
  'ff02::1',
  // The same IPv4 addresses in other forms: mapped, compatible, translated, NAT64, 6to4, Teredo (the client's bits are inverted), ISATAP.
  ...['0:0:0:0:0:ffff:7f00:1', '::FFFF:192.168.0.1', '::ffff:0.0.0.0', '::ffff:100.64.0.1', '::ffff:224.0.0.1'],
  ...['::10.0.0.1', '::a9fe:a9fe', '::ffff:0:10.0.0.1', '::ffff:0:a9fe:a9fe'],
  ...['64:ff9b::', '64:ff9b::a9fe:a9fe', '64:ff9b::192.168.1.1', '64:ff9b::100.64.0.1', '64:ff9b:1:ffff::10.0.0.1'],
  ...[
    '2002:c0a8:101::1',
    '2002:a9fe:a9fe::',
    '2002:808:808::1',
    '2001:0:7f00:1::',
    '2001:0:4136:e378:8000:63bf:80ff:fffe',
  ],
  ...['2001:10::1', '2001:20::1', 'fe80::5efe:10.0.0.1', '100::', '5f00::1', '4000::1', 'e000::1'],
  // With zones, also on addresses that would be public.
  ...['fe80::1%1', 'fe80::1%eth0', '::1%lo', '2606:4700::1111%eth0', 'ff02::1%2'],
  // No addresses at all: nothing is guessed.
  ...['127.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.1:80', 'localhost', ''],
];
const open = ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::808:808'];

/** Ways to write an address in a URL. */
const spellings = [
  ...['127.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.1.', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1', '0'],
  ...[
    '127.0.1',
    '0x7f.1',
    '0x7f.0x0.0x0.0x1',
    '017700000001',
    '0X7F000001',
    '00177.0.0.1',
    '127。0。0。1',
    '0.0.0.0',
    '0x0',
  ],
  ...['2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '167772161', '0xc0a80101', '3232235777'],
  ...['[::1]', '[::ffff:127.0.0.1]', '[0:0:0:0:0:ffff:7f00:1]', '[64:ff9b::7f00:1]', '[fe80::1]', '[::]'],
  ...[
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[::ffff:0:127.0.0.1]',
    '[0000:0000:0000:0000:0000:FFFF:7F00:0001]',
    '[::ffff:0x7f.1]',
  ],
  ...['[2002:7f00:1::]', '[2001:0:7f00:1::]', '[fc00::1]', '[fec0::1]', '[ff02::1]', '[fe80::1%25lo]', '[::1%25lo]'],
];

function toSender(
  resolve: (host: string) => Promise<readonly string[]>,
  isAllowed: (address: string) => boolean = nobody,
) {
  return new WebhookSender({ clock: systemClock, resolve, isAllowed });
}

const isRefused = (error: unknown) =>
  error instanceof Refusal && error.code === 'InvalidField' && error.details.target === 'Url';

/** How many connections a listener on this machine has had while `work` ran; its port is passed. */
async function countConnections(work: (port: number) => Promise<void>, host = '127.0.0.1'): Promise<number> {
  let connections = 0;
  const server = createServer((_, response) => response.end()).on('connection', () => {
    connections += 1;
  });
  server.listen(0, host);
  await once(server, 'listening');
  await work((server.address() as AddressInfo).port);
  server.closeAllConnections();
  server.close();
  return connections;
}

test('A name with an address that is not public is refused, at creation and when something is sent', async () => {
  for (const address of forbidden) {
    for (const addresses of [[address], ['8.8.8.8', address], [address, '8.8.8.8']]) {
      const sender = toSender(async () => addresses);
      await assert.rejects(sender.checkUrl('https://receiver.example/'), isRefused, addresses.join());
      const { status, error } = await sender.send({ ...message, url: 'https://receiver.example/' });
      assert.deepEqual([status, error], [null, 'The host has an address that is not public.'], addresses.join());
    }
  }
  for (const address of open) await toSender(async () => [address]).checkUrl('https://receiver.example/');
});

test('However an address is written, nothing connects to it', async (context) => {
  context.diagnostic(`${spellings.length} spellings, ${forbidden.length} addresses behind names`);
  const connections = await countConnections(async (port) => {
    const sender = toSender(async (host) => assert.fail(`resolved ${host}`));
    for (const host of spellings) {
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}:${port}/`;
        await assert.rejects(sender.checkUrl(url), isRefused, url);
        if (URL.canParse(url)) assert.equal((await sender.send({ ...message, url })).status, null, url);
      }
    }
  });
  assert.equal(connections, 0);
});

test('Without TLS only allowed addresses are used, and names that do not resolve are refused', async () => {
  const isAllowed = (address: string) => address === '10.1.2.3';
  await toSender(async () => ['10.1.2.3'], isAllowed).checkUrl('http://inside.example/');
  await toSender(async () => ['10.1.2.3', '8.8.8.8'], isAllowed).checkUrl('https://inside.example/');
  await toSender(async () => [], isAllowed).checkUrl('https://later.example/');
  for (const addresses of [['8.8.8.8'], ['10.1.2.3', '8.8.8.8'], ['10.1.2.4'], []])
    await assert.rejects(toSender(async () => addresses, isAllowed).checkUrl('http://inside.example/'), isRefused);
});

test('The connection goes to the address that was checked, whatever the name resolves to afterwards', async () => {
  // The name leads to the listener from the second time on.
  let lookups = 0;
  const rebind = async () => {
    lookups += 1;
    return lookups === 1 ? ['2606:4700::1'] : ['127.0.0.1'];
  };
  const connections = await countConnections(async (port) => {
    const sender = toSender(rebind);
    const url = `https://rebinding.example:${port}/`;
    const abort = new AbortController();
    const sending = sender.send({ ...message, url }, abort.signal);
    await Promise.resolve();
    abort.abort();
    await sending;
    assert.equal(lookups, 1);
    const again = await sender.send({ ...message, url });
    assert.equal(again.error, 'The host has an address that is not public.');
  });
  assert.equal(connections, 0);
});

test('A redirect is not followed, wherever it leads', async () => {
  const connections = await countConnections(async (port) => {
    const targets = [
      `http://127.0.0.1:${port}/`,
      `https://127.0.0.1:${port}/`,
      `//127.0.0.1:${port}/`,
      `http://[::1]:${port}/`,
    ];
    for (const Location of targets) {
      for (const status of [300, 301, 302, 303, 305, 307, 308]) {
        const receiver = await answerWith((_, response) => response.writeHead(status, { Location }).end());
        const sender = toSender(
          async () => [],
          () => true,
        );
        const { status: answered, error } = await sender.send({ ...message, url: receiver.url });
        assert.deepEqual([answered, error], [status, `The receiver answered ${status}.`]);
        receiver.close();
      }
    }
  });
  assert.equal(connections, 0);
});

test('Messages in quick succession share a connection, and each is checked', async () => {
  const seen: number[] = [];
  const receiver = await answerWith((request, response) => {
    seen.push(request.socket.remotePort ?? 0);
    request.resume().on('end', () => response.end('thanks'));
  });
  let addresses = ['127.0.0.1'];
  let isAllowed = true;
  const sender = toSender(
    async () => addresses,
    () => isAllowed,
  );
  const url = `http://receiver.invalid:${new URL(receiver.url).port}/`;
  for (let n = 0; n < 3; n += 1) assert.equal((await sender.send({ ...message, url })).status, 200);
  assert.deepEqual([seen.length, new Set(seen).size], [3, 1]);
  // The name leads elsewhere now, or the address is no longer allowed: the kept connection does not count.
  addresses = ['127.0.0.1', '10.0.0.1'];
  isAllowed = false;
  assert.equal((await sender.send({ ...message, url })).status, null);
  addresses = [];
  assert.equal((await sender.send({ ...message, url })).status, null);
  assert.equal(seen.length, 3);
  receiver.close();
});

test('An answer that is not read to its end ends its connection', async () => {
  const ports: number[] = [];
  const receiver = await answerWith((request, response) => {
    ports.push(request.socket.remotePort ?? 0);
    response.end('x'.repeat(1024 * 1024));
  });
  const sender = toSender(
    async () => [],
    () => true,
  );
  for (let n = 0; n < 2; n += 1) assert.equal((await sender.send({ ...message, url: receiver.url })).status, 200);
  assert.equal(new Set(ports).size, 2);
  receiver.close();
});

test('An allowed address is connected to under the name, and no other lookup takes place', async () => {
  const hosts: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host);
    response.end('thanks');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sender = toSender(
    async () => ['127.0.0.1'],
    (address) => address === '127.0.0.1',
  );
  const { status, response } = await sender.send({ ...message, url: `http://not-in-dns.invalid:${port}/a?b` });
  assert.deepEqual([status, response, hosts], [200, 'thanks', [`not-in-dns.invalid:${port}`]]);
  server.close();
});

async function answerWith(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, close };
}

test('A receiver that does not answer has ten seconds, and one that answers slowly a second', async () => {
  const clock = new MovableClock();
  const sender = new WebhookSender({ clock, resolve: async () => [], isAllowed: () => true });
  const begun = Promise.withResolvers<void>();
  const silent = await answerWith(() => begun.resolve());
  const sending = sender.send({ ...message, url: silent.url });
  await begun.promise;
  await clock.advance(9_999);
  assert.ok(clock.waiting > 0);
  await clock.advance(1);
  assert.equal((await sending).error, 'No answer within 10 s.');
  silent.close();

  const slow = await answerWith((_, response) => response.write('begun'));
  const slowly = sender.send({ ...message, url: slow.url });
  let outcome: Awaited<typeof slowly> | null = null;
  void slowly.then((done) => {
    outcome = done;
  });
  // The status counts, however long the body takes.
  while (outcome === null) await clock.advance(500);
  assert.deepEqual([(await slowly).status, (await slowly).error], [200, null]);
  slow.close();
});

test('Of a long answer little is read, and Retry-After counts', async () => {
  let isOver = false;
  const endless = await answerWith((_, response) => {
    const fill = (): void => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', fill).on('close', () => {
      isOver = true;
    });
    response.writeHead(429, { 'Retry-After': '120' });
    fill();
  });
  const sender = toSender(
    async () => [],
    () => true,
  );
  const { status, response, retryAfterMs } = await sender.send({ ...message, url: endless.url });
  assert.deepEqual([status, response, retryAfterMs], [429, 'x'.repeat(1024), 120_000]);
  await assert.doesNotReject(async () => {
    while (!isOver) await new Promise((resolve) => setImmediate(resolve));
  });
  endless.close();
});

test('Retry-After is seconds or a date, at most a day', async () => {
  const values = ['5', new Date(Date.now() + 60_000).toUTCString(), '999999999', 'soon', '-1', '0'];
  const receiver = await answerWith((_, response) => {
    response.writeHead(503, { 'Retry-After': values[seen.length] }).end();
  });
  const seen: (number | null)[] = [];
  const sender = toSender(
    async () => [],
    () => true,
  );
  for (const _ of values) seen.push((await sender.send({ ...message, url: receiver.url })).retryAfterMs);
  const [seconds, date, most, ...others] = seen;
  assert.equal(seconds, 5000);
  assert.ok(date !== null && date !== undefined && date > 0 && date <= 60_000);
  assert.deepEqual([most, ...others], [86_400_000, null, null, null]);
  receiver.close();
});
