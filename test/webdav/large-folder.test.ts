// A folder with more entries than a page: PROPFIND lists each once, and memory does not grow with their number.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sized } from '../size.ts';
import { type Dav, type DavService, startDav } from './dav.ts';

const count = sized(1100, 30_000);
const inFlight = 16;
/** About a fifth of what all of the long answer takes. */
const keptBytes = 8 * 1024 * 1024;

let service: DavService;
let dav: Dav;

before(async () => {
  service = await startDav();
  dav = await service.addClient('large');
  await dav.must(201, 'MKCOL', 'many');
  const paths = Array.from({ length: count }, (_, n) => toPath(n)).values();
  const fill = async () => {
    for (const path of paths) await dav.put(path, path);
  };
  await Promise.all(Array.from({ length: inFlight }, fill));
});

after(() => service[Symbol.asyncDispose]());

const toPath = (n: number) => `many/file%20${String(n).padStart(6, '0')}`;

test('every entry is listed once, with its lock and its properties, on whatever page it is', async () => {
  const middle = toPath(count - 80);
  const lock =
    '<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>';
  const update =
    '<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="urn:x">1</x></D:prop></D:set></D:propertyupdate>';
  await dav.must(207, 'PROPPATCH', middle, { body: update });
  await dav.must(200, 'LOCK', middle, { body: lock });
  const all = Array.from({ length: count }, (_, n) => decodeURIComponent(toPath(n).slice('many/'.length)));
  assert.deepEqual(await dav.list('many/'), all);
  const { text } = await dav.must(207, 'PROPFIND', 'many/', { headers: { Depth: '1' } });
  const responses = text.split('<D:response>').slice(1);
  assert.equal(responses.length, count + 1);
  const marked = responses.filter((one) => one.includes('<D:activelock>') || one.includes('urn:x'));
  assert.deepEqual(
    marked.map((one) => /<D:href>([^<]*)</.exec(one)?.[1]),
    [`/dav/large/${middle}`],
  );
});

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

test('the listing is sent in pages, so that memory does not grow with the folder', async () => {
  const list = async (whenRead: () => void) => {
    const headers = { Authorization: dav.authorization, Depth: '1' };
    const { body } = await fetch(dav.url('many/'), { method: 'PROPFIND', headers });
    assert.ok(body !== null);
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      whenRead();
    }
    return bytes;
  };
  const bytes = await list(() => undefined);
  const before = heapBytes();
  let chunks = 0;
  let peak = 0;
  await list(() => {
    chunks += 1;
    if (chunks % 50 === 0) peak = Math.max(peak, heapBytes() - before);
  });
  assert.ok(bytes > count * 500, `${bytes} bytes`);
  assert.ok(peak < keptBytes, `${Math.round(peak / 1024)} KiB more while ${bytes} bytes were listed`);
});

/** The sizes in the framing of a chunked answer: what the service has rendered before it looked at the connection again. */
async function readChunkSizes(body: string): Promise<number[]> {
  const headers = { Authorization: dav.authorization, Depth: '1', Connection: 'close' };
  const sent = request(dav.url('many/'), { method: 'PROPFIND', headers });
  const [socket] = (await Promise.all([once(sent, 'socket'), sent.end(body)]))[0] as [Socket];
  const read: Buffer[] = [];
  socket.on('data', (data: Buffer) => read.push(data));
  await once(sent, 'response').then(([response]) => once(response.resume(), 'end'));
  const bytes = Buffer.concat(read);
  const sizes: number[] = [];
  for (let at = bytes.indexOf('\r\n\r\n') + 4; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (size === 0) return sizes;
    sizes.push(size);
    at = lineEnd + 2 + size + 2;
  }
}

test('a long listing is made while it is read: who leaves early costs little', async () => {
  const names = Array.from({ length: 200 }, (_, n) => `<p${n} xmlns="urn:unknown"/>`).join('');
  const sizes = await readChunkSizes(`<D:propfind xmlns:D="DAV:"><D:prop>${names}</D:prop></D:propfind>`);
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) > count * names.length);
  assert.ok(Math.max(...sizes) < 80 * 1024, `a chunk of ${Math.max(...sizes)} bytes`);
});
