// Ctrl-C in the middle of a put and of a get; the same command, given again, goes on where it was. A gate between the command and the
// service counts what passes and slows it down, so that there is a middle.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { after, before, test } from 'node:test';
import { eventually, type Registered } from '../service/service.ts';
import { digests, type Ended, Person } from './person.ts';

const mebibyte = 1024 * 1024;
const sizeBytes = 20 * mebibyte;

/** Forwards bytes; slowly on demand. */
class Gate {
  readonly #server: Server;
  readonly #target: URL;
  upBytes = 0;
  downBytes = 0;
  isSlow = false;

  constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createServer((socket) => this.#pass(socket)).listen(0, '127.0.0.1');
  }

  async open(): Promise<string> {
    if (!this.#server.listening) await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
  }

  #pass(socket: Socket): void {
    const other = connect(Number(this.#target.port), this.#target.hostname);
    const end = () => {
      socket.destroy();
      other.destroy();
    };
    for (const one of [socket, other]) one.on('error', end).on('close', end);
    socket.pipe(this.#counter('upBytes')).pipe(other);
    other.pipe(this.#counter('downBytes')).pipe(socket);
  }

  #counter(what: 'upBytes' | 'downBytes'): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this[what] += chunk.length;
        if (this.isSlow && chunk.length > 1000) setTimeout(done, 20, null, chunk);
        else done(null, chunk);
      },
    });
  }
}

let person: Person;
let gate: Gate;

before(async () => {
  person = await Person.atService();
  gate = new Gate(person.service.production);
  const desk = await person.operate<Registered>(['app', 'add', 'desk']);
  assert.equal((await person.logIn(await gate.open(), desk, [])).code, 0);
  person.write('large/film.bin', randomBytes(sizeBytes));
  person.write('large/note.txt', 'a note');
});

after(async () => {
  gate.close();
  await person.leave();
});

/** Runs it until so much has passed the gate, then presses Ctrl-C. */
async function interrupt(words: string[], what: 'upBytes' | 'downBytes', bytes: number): Promise<Ended> {
  gate[what] = 0;
  gate.isSlow = true;
  const child = person.begin(words);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close');
  await eventually(`${bytes} bytes have passed`, () => gate[what] >= bytes || child.exitCode !== null, 120_000);
  child.kill('SIGINT');
  const [code] = (await ended) as [number | null];
  gate.isSlow = false;
  return { code, stdout, stderr };
}

test('put resumes at the offset of the service', async () => {
  const first = await interrupt(['put', 'large', '/'], 'upBytes', 8 * mebibyte);
  assert.equal(first.code, 130, first.stderr);
  assert.match(first.stderr, /Run the same command again/);
  const waiting = join(person.profilesPath, '..', 'uploads');
  assert.equal(readdirSync(waiting).length, 1);
  const second = await interrupt(['put', 'large', '/'], 'upBytes', 4 * mebibyte);
  assert.equal(second.code, 130);
  gate.upBytes = 0;
  const { Files } = await person.json<{ Files: number }>('put', 'large', '/');
  assert.equal(Files, 2);
  assert.ok(gate.upBytes < 12 * mebibyte, `${gate.upBytes} bytes were sent the third time`);
  assert.deepEqual(readdirSync(waiting), []);
  const { Versions } = await person.json<{ Versions: { Sha256: string }[] }>('versions', '/large/film.bin');
  assert.deepEqual(
    Versions.map(({ Sha256 }) => Sha256),
    [digests(join(person.here, 'large'))['film.bin']],
  );
});

test('get resumes at the local offset, and the final name appears only at the end', async () => {
  const first = await interrupt(['get', '/large/film.bin', 'film.bin'], 'downBytes', 8 * mebibyte);
  assert.equal(first.code, 130, first.stderr);
  const [part = '', ...others] = readdirSync(person.here).filter((name) => name.startsWith('film.bin'));
  assert.deepEqual(others, []);
  assert.match(part, /^film\.bin\.[0-9a-f]{8}\.part$/);
  const there = statSync(join(person.here, part)).size;
  assert.ok(there > 0 && there < sizeBytes, `${there}`);
  gate.downBytes = 0;
  assert.deepEqual(await person.lines('get', '/large/film.bin', 'film.bin'), ['downloaded film.bin (21 MB)']);
  assert.ok(gate.downBytes < sizeBytes - there + mebibyte, `${gate.downBytes} bytes came the second time`);
  assert.equal(digests(person.here)['film.bin'], digests(join(person.here, 'large'))['film.bin']);
  assert.deepEqual(
    readdirSync(person.here).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('a partial download of a file that has changed is not resumed', async () => {
  assert.equal((await interrupt(['get', '/large/film.bin', 'other.bin'], 'downBytes', 6 * mebibyte)).code, 130);
  person.write('large/film.bin', randomBytes(sizeBytes));
  await person.lines('put', 'large/film.bin', '/large/');
  await person.lines('get', '/large/film.bin', 'other.bin');
  assert.equal(digests(person.here)['other.bin'], digests(join(person.here, 'large'))['film.bin']);
});
