// Several threads answer on the same addresses: responses must not depend on which of them has a connection.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, type OutgoingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type Caller, CONTENT, download, fetchToken, identity, listFolder, send } from '../interface/client.ts';
import { manage } from '../interface/managing.ts';
import { createTus, headTus, TUS_BYTES, toMetadata, toPath } from '../interface/uploads.ts';
import { sized } from '../size.ts';
import { cabinetJson } from './here.ts';
import { readMetrics, sumOf } from './prometheus.ts';
import {
  addCaller,
  eventually,
  makeDataFolder,
  type Registered,
  removeDataFolder,
  type Started,
  startService,
} from './service.ts';
import { startServiceHere } from './service-here.ts';

const threads = 3;
/** So many that each thread has some: that one has none of them is as likely as one in a hundred thousand. */
const connections = 32;
const savesEach = sized(8, 20);
const environment = { CABINET_HTTP_THREADS: String(threads) } as const;
/** Enough for what the tests themselves keep open. */
const mostOfOnePeer = 2 * connections;

interface Request {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Uint8Array;
}

/** One connection, kept. */
class Line {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  begin(base: string, path: string, { method = 'GET', headers = {} }: Request): ClientRequest {
    const { hostname, port } = new URL(base);
    return request({ agent: this.#agent, hostname, port, path, method, headers });
  }

  async ask(base: string, path: string, request: Request = {}): Promise<{ status: number; body: string }> {
    const outgoing = this.begin(base, path, request).end(request.body);
    const [incoming] = await once(outgoing, 'response');
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    return { status: incoming.statusCode, body };
  }

  async call(caller: Caller, path: string, request: Request = {}) {
    const headers = { ...(identity(caller) as OutgoingHttpHeaders), ...request.headers };
    return await this.ask(caller.base, CONTENT + path, { ...request, headers });
  }

  async save(caller: Caller, name: string, content = 'x') {
    const headers = { FileName: name, 'Content-Type': 'text/plain', Prefer: 'return=minimal' };
    return await this.call(caller, '/files', { method: 'POST', headers, body: content });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function countListeners(base: string): number {
  const port = Number(new URL(base).port).toString(16).toUpperCase().padStart(4, '0');
  return readFileSync('/proc/net/tcp', 'utf8').split(`0100007F:${port} 00000000:0000 0A`).length - 1;
}

const namesOf = (text: string) =>
  (JSON.parse(text) as { Children: { Name: string }[] }).Children.map(({ Name }) => Name);

describe('Several HTTP threads', () => {
  const dataFolder = makeDataFolder();
  const lines = Array.from({ length: connections }, () => new Line());
  let service: Started;
  let caller: Caller;

  before(async () => {
    const more = { CABINET_TEST_PORT: '0', CABINET_MAX_CONNECTIONS_PER_PEER: String(mostOfOnePeer) };
    service = await startService(dataFolder, { environment: { ...environment, ...more } });
    caller = await addCaller(dataFolder, service.production, 'threads');
  });

  after(async () => {
    for (const line of lines) line.close();
    assert.equal(await service.stop(), 0, service.errors());
    removeDataFolder(dataFolder);
  });

  const overAll = <Result>(work: (line: Line, index: number) => Promise<Result>) => Promise.all(lines.map(work));

  const readSum = async (name: string) => {
    const { body } = await send(service.production, '/metrics');
    return sumOf(readMetrics(body.toString()), name);
  };

  it('listen on the same address', { skip: process.platform !== 'linux' }, () => {
    assert.equal(countListeners(service.production), threads);
    assert.equal(countListeners(service.test as string), threads);
  });

  it('do not silently share their address with another service', async (context) => {
    const other = makeDataFolder();
    context.after(() => removeDataFolder(other));
    const { port } = new URL(service.production);
    await assert.rejects(
      startService(other, { environment: { ...environment, CABINET_PORT: port } }),
      /Port \d+ is already in use/,
    );
  });

  it('see at once what any of them saved', async () => {
    for (let round = 0; round < sized(8, 20); round += 1) {
      const [first] = lines.splice(0, 1) as [Line];
      lines.push(first);
      assert.equal((await first.save(caller, `round ${round}`)).status, 200);
      const seen = await overAll((line) => line.call(caller, `/folders/${caller.application.RootFolderId}?limit=1000`));
      for (const { body } of seen) assert.ok(namesOf(body).includes(`round ${round}`), `round ${round}`);
    }
  });

  it('show earlier saves of any of them in first pages and responses, and nothing that was removed', async () => {
    const made = await lines[0]?.call(caller, '/folders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ FolderName: 'first pages' }),
    });
    const { Id } = (JSON.parse(made?.body ?? '') as { Folder: { Id: string } }).Folder;
    const [answered, leaving, removed] = [new Set<string>(), new Set<string>(), new Set<string>()];
    await overAll(async (line, index) => {
      for (let round = 0; round < 4; round += 1) {
        const name = `${round}-${index}`;
        const [known, gone] = [[...answered], [...removed]];
        const headers = { FileName: name, FolderId: Id, 'Content-Type': 'text/plain' };
        const saved = await line.call(caller, '/files', { method: 'POST', headers, body: name });
        assert.equal(saved.status, 200, saved.body);
        const reply = namesOf(saved.body);
        for (const earlier of known) assert.ok(reply.includes(earlier) || leaving.has(earlier), `${name}: ${earlier}`);
        for (const earlier of gone) assert.ok(!reply.includes(earlier), `${name}: ${earlier} is shown`);
        answered.add(name);
        const before = [...answered];
        const page = namesOf((await line.call(caller, `/folders/${Id}`)).body);
        for (const earlier of before) assert.ok(page.includes(earlier) || leaving.has(earlier), `page: ${earlier}`);
        if (round % 2 === 0) continue;
        const file = (JSON.parse(saved.body) as { Children: { Id: string }[] }).Children[0];
        answered.delete(name);
        leaving.add(name);
        assert.equal((await line.call(caller, `/entries/${file?.Id}`, { method: 'DELETE' })).status, 200);
        removed.add(name);
      }
    });
  });

  it('save concurrently without losing anything, and count together', async () => {
    const readSaves = () => readSum('cabinet_saves_total');
    const before = await readSaves();
    await overAll(async (line, index) => {
      for (let n = 0; n < savesEach; n += 1) assert.equal((await line.save(caller, `many ${index} ${n}`)).status, 200);
    });
    assert.equal((await readSaves()) - before, connections * savesEach);
    const listed = await listFolder(caller, caller.application.RootFolderId);
    assert.equal(listed.filter(({ Name }) => Name.startsWith('many ')).length, connections * savesEach);
  });

  it('wake all long polls', async () => {
    const tookMs: number[] = [];
    // Who is not woken looks again after a second. Once more, if the machine was slow.
    while (!tookMs.some((ms) => ms < 900)) {
      assert.ok(tookMs.length < 4, `woken after ${tookMs.map(Math.round)} ms`);
      const { body } = await (lines[0] as Line).call(caller, '/changes?from=now');
      const cursor = (JSON.parse(body) as { Cursor: string }).Cursor;
      const waiting = overAll(async (line) => {
        const answer = await line.call(caller, `/changes?wait=20&cursor=${cursor}`);
        return { at: performance.now(), changes: (JSON.parse(answer.body) as { Changes: unknown[] }).Changes.length };
      });
      await eventually('all wait', async () => (await readSum('cabinet_requests_in_progress')) === lines.length + 1);
      const savedAt = performance.now();
      const line = new Line();
      assert.equal((await line.save(caller, `awaited ${tookMs.length}`)).status, 200);
      line.close();
      const woken = await waiting;
      for (const { at, changes } of woken) assert.ok(changes > 0 && at > savedAt);
      tookMs.push(Math.max(...woken.map(({ at }) => at - savedAt)));
    }
  });

  it('share the limit of connections per peer', {
    skip: process.platform !== 'linux',
  }, async (context) => {
    const sockets: Socket[] = [];
    const closeAll = () => sockets.forEach((socket) => void socket.destroy());
    context.after(closeAll);
    const { hostname, port } = new URL(service.production);
    const isTaken = async () => {
      // A peer of its own: everybody else here is 127.0.0.1.
      const socket = connect({ port: Number(port), host: hostname, localAddress: '127.0.0.2' });
      sockets.push(socket.on('error', () => undefined));
      socket.write(`GET /health/live HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
      return await new Promise<boolean>((resolve) => {
        socket.once('data', () => resolve(true)).once('close', () => resolve(false));
      });
    };
    const taken = await Promise.all(Array.from({ length: 2 * mostOfOnePeer }, isTaken));
    assert.equal(taken.filter(Boolean).length, mostOfOnePeer);
    closeAll();
    await eventually('their places are free again', isTaken);
  });

  it('find the text of files that any of them saved', async () => {
    const word = `w${randomBytes(8).toString('hex')}`;
    assert.equal((await (lines[3] as Line).save(caller, 'text.txt', `here is ${word}`)).status, 200);
    await eventually('it is found', async () => {
      const { body } = await (lines[4] as Line).call(caller, `/search?q=${word}`);
      return (JSON.parse(body) as { Results: unknown[] }).Results.length === 1;
    });
    const found = await overAll((line) => line.call(caller, `/search?q=${word}`));
    for (const { body } of found) assert.match(body, new RegExp(`<mark>${word}`));
  });

  it('refuse at once whom a manager has disabled, and accept them again', async () => {
    const registered = await cabinetJson<Registered>(dataFolder, [
      'app',
      'add',
      'manager',
      '--scopes',
      'content.read,content.write,content.admin',
    ]);
    const application = { Name: 'manager', ...registered };
    const manager = { base: caller.base, application, token: await fetchToken(caller.base, application) };
    const made = await manage<Registered>(manager, 'POST', '/applications', { Name: 'worker' });
    const worker = { ...manager, application: { ...application, ...made } };
    worker.token = await fetchToken(caller.base, worker.application);
    const root = `/folders/${registered.RootFolderId}`;
    for (let round = 0; round < 5; round += 1) {
      for (const [State, status] of [
        ['disabled', 401],
        ['active', 200],
      ] as const) {
        await manage(manager, 'PATCH', `/applications/${made.AppKey}`, { State });
        const statuses = (await overAll((line) => line.call(worker, root))).map((answer) => answer.status);
        assert.deepEqual(new Set(statuses), new Set([status]), `${State} in round ${round}`);
      }
    }
  });

  it('share the request rate', async () => {
    const limited = await addCaller(dataFolder, service.production, 'limited');
    await cabinetJson(dataFolder, ['quota', 'set', '--space', 'limited', '--requests', '10']);
    const begunAt = performance.now();
    const answers = await overAll((line) => line.call(limited, '/limits'));
    const taken = answers.filter(({ status }) => status === 200).length;
    const refilled = ((performance.now() - begunAt) / 1000) * 10;
    // Two that look at the same moment may both find the last one.
    assert.ok(taken >= 10 && taken <= 10 + refilled + threads - 1, `${taken} were taken`);
    assert.ok(answers.every(({ status }) => status === 200 || status === 403));
  });

  it('take over an upload from each other, and never mix its bytes', async () => {
    for (let round = 0; round < sized(4, 8); round += 1) {
      const length = 3_000_000;
      const [old, now] = [Buffer.alloc(length, 'o'), Buffer.alloc(length, 'n')];
      const metadata = toMetadata({ filename: `upload ${round}` });
      const made = await createTus(caller, { 'Upload-Length': String(length), 'Upload-Metadata': metadata });
      const path = toPath(made);
      const [first, second] = [new Line(), new Line()];
      const headers = (offset: number, bytes: number) => ({
        ...(identity(caller) as OutgoingHttpHeaders),
        ...TUS_BYTES,
        'Upload-Offset': offset,
        'Content-Length': bytes,
      });
      const cut = first.begin(caller.base, CONTENT + path, { method: 'PATCH', headers: headers(0, length) });
      const ended = new Promise<void>((resolve) => {
        cut.on('error', () => resolve());
        cut.on('response', (incoming) => incoming.resume().on('close', resolve));
      });
      await new Promise((resolve) => cut.write(old.subarray(0, 1_500_000), resolve));
      // It looks how far the other has come, which ends the other.
      let status = 0;
      for (let tries = 0; status !== 204 && tries < 5; tries += 1) {
        const offset = Number((await headTus(caller, path)).headers['upload-offset']);
        const rest = now.subarray(offset);
        const append = { method: 'PATCH', headers: headers(offset, rest.length), body: rest };
        // The first one may come late, and end the second.
        ({ status } = await second.ask(caller.base, CONTENT + path, append).catch(() => ({ status: 0 })));
      }
      assert.equal(status, 204);
      cut.write(old.subarray(1_500_000, 2_000_000));
      await ended;
      const { headers: state } = await headTus(caller, path);
      const content = await download(caller, String(state.entryid));
      const own = content.indexOf('n');
      const expected = Buffer.concat([old.subarray(0, own), now.subarray(own)]);
      assert.ok(content.equals(expected), `round ${round}: ${own} bytes of the first request, then the other's`);
      first.close();
      second.close();
    }
  });

  it('drop revoked keys', async () => {
    const old = caller;
    await cabinetJson(dataFolder, ['keys', 'rotate', '--revoke-old']);
    const statuses = await overAll(async (line) => (await line.call(old, '/limits')).status);
    assert.deepEqual(new Set(statuses), new Set([401]));
    caller = { ...caller, token: await fetchToken(caller.base, caller.application) };
    const again = await overAll(async (line) => (await line.call(caller, '/limits')).status);
    assert.deepEqual(new Set(again), new Set([200]));
  });

  it('release an environment that is reset, and serve the new one', async () => {
    const base = service.test as string;
    const first = await cabinetJson<Registered>(dataFolder, ['reset', '--env', 'test']);
    const application = { Name: 'first', ...first };
    const tester = { base, application, token: await fetchToken(base, application) };
    const saved = await overAll((line, index) => line.save(tester, `test ${index}`));
    assert.ok(saved.every(({ status }) => status === 200));
    const second = await cabinetJson<Registered>(dataFolder, ['reset', '--env', 'test']);
    const statuses = await overAll(async (line) => (await line.call(tester, '/limits')).status);
    assert.deepEqual(new Set(statuses), new Set([401]));
    const next = { ...tester, application: { Name: 'first', ...second } };
    next.token = await fetchToken(base, next.application);
    const listed = await overAll((line) => line.call(next, `/folders/${second.RootFolderId}`));
    for (const { status, body } of listed) assert.deepEqual([status, namesOf(body)], [200, []]);
  });
});

describe('An address with several HTTP threads', () => {
  it('answers every accepted request before it stops, and what it answered is durable', async (context) => {
    const dataFolder = makeDataFolder();
    const service = await startService(dataFolder, { environment });
    context.after(async () => {
      await service.stop('SIGKILL');
      removeDataFolder(dataFolder);
    });
    const caller = await addCaller(dataFolder, service.production, 'stopping');
    const answered: string[] = [];
    const broken: unknown[] = [];
    let isStopping = false;
    const saving = Array.from({ length: connections }, async (_, index) => {
      const line = new Line();
      for (let n = 0; ; n += 1) {
        const name = `${index}-${n}`;
        const { status } = await line.save(caller, name).catch((error) => {
          if (!isStopping) broken.push(error);
          return { status: 0 };
        });
        if (status === 200) answered.push(name);
        else break;
      }
      line.close();
    });
    await eventually('all have saved', () => answered.length > 2 * connections);
    isStopping = true;
    assert.equal(await service.stop(), 0, service.errors());
    await Promise.all(saving);
    assert.deepEqual(broken, []);
    await using next = await startServiceHere(dataFolder);
    const token = await fetchToken(next.production, caller.application);
    const again = { ...caller, base: next.production, token };
    const listed = await listFolder(again, caller.application.RootFolderId);
    const there = new Set(listed.map(({ Name }) => Name));
    assert.deepEqual(
      answered.filter((name) => !there.has(name)),
      [],
    );
  });
});
