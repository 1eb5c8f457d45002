import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { type Databases, findDatabases } from '../../../test/cluster/ground.ts';
import { systemClock } from '../../runtime/clock.ts';
import { MovableClock } from '../../runtime/clock-for-tests.ts';
import { openPool } from './connection.ts';
import { listen } from './listener.ts';

const schema = 'listened';
let databases: Databases;
let url: string;
const pipes = new Set<Socket>();
/** Runs for each new connection, before it is forwarded. */
let onConnection: () => unknown = () => undefined;
let between: Server;

before(async () => {
  databases = await findDatabases();
  const target = new URL(await databases.make());
  between = createServer(async (socket) => {
    await onConnection();
    const far = connect(Number(target.port), target.hostname);
    for (const pipe of [socket, far]) {
      pipes.add(pipe);
      pipe.on('error', () => undefined).once('close', () => [socket, far].map((end) => end.destroy()));
    }
    socket.pipe(far).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(between, 'listening');
  const through = new URL(target);
  through.port = String((between.address() as AddressInfo).port);
  url = through.href;
});

after(async () => {
  cutAll();
  between.close();
  await databases.stop();
});

function cutAll(): void {
  for (const pipe of pipes) pipe.destroy();
  pipes.clear();
}

const options = () => ({ url, schema, maxConnections: 1 });

async function tell(payload: string): Promise<void> {
  const pool = openPool(options());
  await pool.query('SELECT pg_notify($1, $2)', [schema, payload]);
  await pool.end();
}

test('listens again after its connection was lost, however often', { timeout: 60_000 }, async () => {
  const heard: number[] = [];
  const clock = new MovableClock({ isRunning: true });
  const listening = await listen(options(), (spaces) => heard.push(...spaces), clock);
  for (let round = 1; round <= 3; round += 1) {
    while (!heard.includes(round)) {
      await clock.advance(1000);
      await tell(`[${round}]`);
    }
    cutAll();
  }
  await listening.close();
});

test('can be closed while it reopens its connection', { timeout: 60_000 }, async () => {
  const clock = new MovableClock({ isRunning: true });
  const listening = await listen(options(), () => undefined, clock);
  const closed = Promise.withResolvers<void>();
  onConnection = () => {
    onConnection = () => undefined;
    listening.close().then(closed.resolve, closed.reject);
  };
  cutAll();
  // The loss is noticed some time later.
  const moving = systemClock.every(10, () => void clock.advance(1000));
  await closed.promise;
  moving.cancel();
});

test('leaves nothing open if it cannot start', { timeout: 60_000 }, async () => {
  onConnection = () => setImmediate(cutAll);
  await assert.rejects(listen(options(), () => undefined));
  onConnection = () => undefined;
});
