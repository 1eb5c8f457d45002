// Valid and invalid bodies in tables, random bodies cut at random places, and the promises about truncation, memory and speed.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import fc from 'fast-check';
import { sized } from '../../../test/size.ts';
import { readParts, sniffBoundary } from './multipart.ts';

interface Plain {
  name: string | null;
  fileName: string | null;
  contentType: string | null;
  content: string;
}

const disposition = 'Content-Disposition: form-data; name="filename"';
const part = `--b\r\n${disposition}\r\n\r\nx`;

test('a body is read into its parts', async () => {
  const body = lines(
    'preamble',
    '--b',
    'content-disposition: form-data; name="filename"; filename="a.pdf"',
    'Content-Type: application/pdf',
    '',
    'line one',
    '--c',
    '',
    '--b',
    'Content-Disposition: attachment; name="Properties"',
    '',
    '',
    '--b \t ',
    '',
    'no headers',
    '--b--',
    'epilogue --b',
  );
  assert.deepEqual(await parse(body), [
    { name: 'filename', fileName: 'a.pdf', contentType: 'application/pdf', content: 'line one\r\n--c\r\n' },
    { name: 'Properties', fileName: null, contentType: null, content: '' },
    { name: null, fileName: null, contentType: null, content: 'no headers' },
  ]);
});

const dispositions: Array<[header: string, name: string | null, fileName: string | null]> = [
  ['form-data', null, null],
  ['FORM-DATA; NAME=a', 'a', null],
  ['Attachment; name="filename"; filename="a.pdf"', 'filename', 'a.pdf'],
  ['form-data; name=f; filename=a.txt', 'f', 'a.txt'],
  ['form-data;name="f";filename="a;b=c.txt";', 'f', 'a;b=c.txt'],
  ['form-data; name="f"; filename=""', 'f', ''],
  ['form-data; filename="no name.txt"', null, 'no name.txt'],
  ['form-data; name="f"; filename="a\\"b\\\\c.txt"', 'f', 'a"b\\c.txt'],
  ['form-data; name="f"; filename="a%22b%0D%0A.txt"', 'f', 'a"b\r\n.txt'],
  ['form-data; name="f"; filename="100%25 %41%0d%2522"', 'f', '100%25 %41%0d%2522'],
  ["form-data; name=f; filename*=UTF-8''%2522", 'f', '%22'],
  ['form-data; name="f"; filename="C:\\fakepath\\a.txt"', 'f', 'C:\\fakepath\\a.txt'],
  ['form-data; name="f"; filename="日本\u2028é😀.txt"', 'f', '日本\u2028é😀.txt'],
  ['form-data; name=f; filename="x"; filename*=UTF-8\'\'%e2%82%ac%20rates', 'f', '€ rates'],
  ["form-data; name=f; filename*=utf-8'en'a%C3%A9; filename=x", 'f', 'aé'],
];

test('names and file names are read in every form that clients write', async () => {
  for (const [header, name, fileName] of dispositions) {
    const body = lines('--b', `Content-Disposition: ${header}`, '', 'x', '--b--', '');
    assert.deepEqual(await parse(body), [{ name, fileName, contentType: null, content: 'x' }], header);
  }
});

const goodBodies: Array<[what: string, body: string, contents: string[]]> = [
  ['no parts', '--b--', []],
  ['no line break at the end', `${part}\r\n--b--`, ['x']],
  [
    'a blank line that already belongs to the delimiter',
    lines('--b', disposition, '', '--b', disposition, '', 'x', '--b--'),
    ['', 'x'],
  ],
  [
    'transfer encodings that change nothing',
    lines('--b', 'Content-Transfer-Encoding: BINARY', '', 'x', '--b--'),
    ['x'],
  ],
  ['sixteen headers', `--b\r\n${headers(16)}\r\n\r\nx\r\n--b--`, ['x']],
  ['headers of 16 KiB', `--b${longHeader(16 * 1024)}\r\n\r\nx\r\n--b--`, ['x']],
  ['twenty parts', `${`${part}\r\n`.repeat(20)}--b--`, Array(20).fill('x')],
  ['a preamble of 64 KiB', `${'p'.repeat(65_536)}\r\n${part}\r\n--b--`, ['x']],
  ['an epilogue of 64 KiB', `${part}\r\n--b--${'e'.repeat(65_536)}`, ['x']],
  [
    'nested multipart',
    lines('--b', 'Content-Type: multipart/mixed; boundary=c', '', '--c', '', '--c--', '--b--'),
    ['--c\r\n\r\n--c--'],
  ],
  [
    'lookalikes',
    lines('--b', '', '-', '--', '--B', ' --b', '\n--b', '\r--b', '\r', '--b--'),
    [lines('-', '--', '--B', ' --b', '\n--b', '\r--b', '\r')],
  ],
];

test('unusual but legal bodies are read', async () => {
  for (const [what, body, contents] of goodBodies) {
    assert.deepEqual(await contentsOf(body), contents, what);
  }
});

const badBodies: Array<[what: string, body: string, message: RegExp]> = [
  ['empty', '', /ended before the closing boundary/],
  ['no delimiter', 'hello', /ended before the closing boundary/],
  ['another boundary', part.replace('--b', '--c'), /ended before the closing boundary/],
  ['no closing delimiter', `${part}\r\n`, /ended before the closing boundary/],
  ['half a closing delimiter', `${part}\r\n--b-`, /ended before the closing boundary/],
  ['nothing but a delimiter', '--b\r\n', /ended before the closing boundary/],
  ['bare line feeds', `${part}\r\n--b--`.replaceAll('\r', ''), /ended before|followed by/],
  ['a boundary that goes on', `${part}\r\n--bb\r\n\r\n\r\n--b--`, /followed by other text/],
  ['a header without a colon', lines('--b', 'hello', '', 'x', '--b--'), /malformed header/],
  ['a space before the colon', lines('--b', `${disposition.replace(':', ' :')}`, '', 'x', '--b--'), /malformed header/],
  ['a folded header', lines('--b', 'Content-Disposition: form-data;', ' name=a', '', 'x', '--b--'), /malformed header/],
  ['a bare line feed in a header', lines('--b', 'X: a\nY: b', '', 'x', '--b--'), /malformed header/],
  ['a NUL in a header', lines('--b', 'X: a\0b', '', 'x', '--b--'), /malformed header/],
  ['a header twice', lines('--b', disposition, disposition.toLowerCase(), '', 'x', '--b--'), /twice/],
  ['seventeen headers', `--b\r\n${headers(17)}\r\n\r\nx\r\n--b--`, /more than 16 headers/],
  ['headers over 16 KiB', `--b${longHeader(16 * 1024 + 1)}\r\n\r\nx\r\n--b--`, /exceed 16384 bytes/],
  ['twenty-one parts', `${`${part}\r\n`.repeat(21)}--b--`, /more than 20 parts/],
  ['a preamble over 64 KiB', `${'p'.repeat(65_537)}\r\n${part}\r\n--b--`, /preamble exceeds/],
  ['an epilogue over 64 KiB', `${part}\r\n--b--${'e'.repeat(65_537)}`, /epilogue exceeds/],
  ['base64', lines('--b', 'Content-Transfer-Encoding: base64', '', 'eA==', '--b--'), /Content-Transfer-Encoding/],
  [
    'quoted-printable',
    lines('--b', 'content-transfer-encoding: Quoted-Printable', '', 'x', '--b--'),
    /Transfer-Encoding/,
  ],
  ...[
    'inline; name=a',
    'form-datax; name=a',
    'form-data name=a',
    'form-data; name',
    'form-data; name="a',
    'form-data; name="a"b',
    'form-data; name=a b',
    'form-data; name=a; name=b',
    'form-data; filename=é',
    '',
  ].map((header): [string, string, RegExp] => {
    const body = lines('--b', `Content-Disposition: ${header}`, '', 'x', '--b--');
    return [header, body, /malformed Content-Disposition/];
  }),
  [
    'a foreign charset',
    lines('--b', "Content-Disposition: form-data; filename*=latin1''a", '', 'x', '--b--'),
    /filename\*/,
  ],
];

test('bad bodies are refused', async () => {
  for (const [what, body, message] of badBodies) {
    await assert.rejects(parse(body), { code: 'InvalidBody', message }, what);
    await assert.rejects(parse(body, 'b', 3), { code: 'InvalidBody', message }, `${what}, in small chunks`);
  }
});

test('headers that are not UTF-8 are refused', async () => {
  const body = Buffer.from(lines('--b', 'Content-Disposition: form-data; name="\xe9"', '', 'x', '--b--'), 'latin1');
  await assert.rejects(parse(body), { code: 'InvalidBody', message: /UTF-8/ });
  const extended = lines('--b', "Content-Disposition: form-data; filename*=UTF-8''%E9", '', 'x', '--b--');
  await assert.rejects(parse(extended), { code: 'InvalidName' });
});

test('a boundary is 1 to 70 legal characters', async () => {
  for (const boundary of ['a', 'x'.repeat(70), "0 '()+_,-./:=?", '--']) {
    const body = `--${boundary}\r\n\r\nx\r\n--${boundary}--`;
    assert.deepEqual(await contentsOf(body, boundary), ['x'], boundary);
  }
  for (const boundary of ['', 'x'.repeat(71), 'a ', 'a"b', 'a\r\nb', 'é', 'a*']) {
    await assert.rejects(parse(`--${boundary}--`, boundary), { code: 'InvalidBody' }, boundary);
  }
});

test('random parts, serialised and cut anywhere, are read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(anyParts(), fc.array(fc.nat(), { maxLength: 40 }), async (parts, cuts) => {
      const body = serialise(parts);
      assert.deepEqual(await collect(Readable.from(cutAt(body, cuts)), 'bound'), parts);
    }),
    { numRuns: sized(400, 1500) },
  );
});

test('random parts are read back unchanged, byte by byte', async () => {
  await fc.assert(
    fc.asyncProperty(anyParts(), async (parts) => {
      assert.deepEqual(await collect(Readable.from(inChunks(serialise(parts), 1)), 'bound'), parts);
    }),
  );
});

test('a body that is truncated at any byte is never complete', async () => {
  const body = Buffer.from(`pre\r\n${part}\r\n--b\r\n\r\n--\r\n--\r\n${part}\r\n--b--`.replaceAll('--b', '--bound'));
  for (const size of [1, 7, body.length]) {
    for (let length = 0; length < body.length; length += 1) {
      const error = { code: 'InvalidBody', message: /ended before the closing boundary/ };
      await assert.rejects(parse(body.subarray(0, length), 'bound', size), error, `${length} bytes`);
    }
    assert.equal((await parse(body, 'bound', size)).length, 3);
  }
});

test('a truncated part fails while it is read', async () => {
  const parts = readParts(Readable.from([Buffer.from(`${part}\r\n--`)]), 'b');
  const first = await parts.next();
  await assert.rejects(Array.fromAsync(first.value.body), { code: 'InvalidBody' });
});

test('a source that fails fails the parse', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from(part);
    throw new Error('aborted');
  }
  await assert.rejects(collect(broken(), 'b'), /aborted/);
});

test('a part that is not read, or not to its end, is skipped', async () => {
  const body = `${part}\r\n${part}${'y'.repeat(100)}\r\n${part}\r\n--b--`;
  let count = 0;
  for await (const { body: content } of readParts(Readable.from(inChunks(Buffer.from(body), 10)), 'b')) {
    count += 1;
    if (count !== 2) continue;
    for await (const _ of content) break;
  }
  assert.equal(count, 3);
});

test('a part cannot be read after the next one was requested', async () => {
  const parts = readParts(Readable.from([Buffer.from(`${part}\r\n${part}\r\n--b--`)]), 'b');
  const first = await parts.next();
  await parts.next();
  await assert.rejects(Array.fromAsync(first.value.body), /after the next part/);
  await parts.return(undefined);
});

test('nothing is read ahead, and leaving early closes the source', async () => {
  const log: string[] = [];
  async function* source(): AsyncGenerator<Buffer> {
    try {
      for (const text of ['--b\r\n\r\n', 'one', 'two', 'three']) {
        log.push(text);
        yield Buffer.from(text);
      }
    } finally {
      log.push('closed');
    }
  }
  for await (const { body } of readParts(source(), 'b')) {
    assert.deepEqual(log, ['--b\r\n\r\n']);
    for await (const slice of body) {
      assert.equal(slice.toString(), 'one');
      break;
    }
    break;
  }
  assert.deepEqual(log, ['--b\r\n\r\n', 'one', 'closed']);
});

test('contents are slices of the chunks, not copies', async () => {
  const chunks = [Buffer.from('--b\r\n\r\nfirst'), Buffer.alloc(100_000, '\r'), Buffer.from('last\r\n--b--')];
  for await (const { body } of readParts(Readable.from(chunks), 'b')) {
    const slices = (await Array.fromAsync(body)).filter(({ length }) => length > 1);
    assert.equal(slices.map(({ length }) => length).join(), '5,99999,4');
    assert.ok(slices.every(({ buffer }, index) => buffer === chunks[index]?.buffer));
  }
});

for (const [what, line] of [
  ['binary', '\x80\xff\0\x01'],
  ['lines', 'a line\r\n'],
  ['near misses', '\r\n--boundar'],
] as const) {
  test(`64 MiB of ${what} are read in time that grows with the bytes alone`, async () => {
    const chunk = Buffer.alloc(64 * 1024, line, 'latin1');
    async function* source(): AsyncGenerator<Buffer> {
      yield Buffer.from('--boundary\r\n\r\n');
      for (let count = 0; count < 1024; count += 1) yield chunk;
      yield Buffer.from('\r\n--boundary--\r\n');
    }
    const before = process.cpuUsage();
    let sizeBytes = 0;
    for await (const { body } of readParts(source(), 'boundary')) {
      for await (const slice of body) sizeBytes += slice.length;
    }
    assert.equal(sizeBytes, 64 * 1024 * 1024);
    assert.ok(process.cpuUsage(before).user < 15e6, 'so many microseconds of processor time');
  });
}

test('a boundary is recognised at the very beginning of a body, and nowhere else', () => {
  const heads: Array<[head: string, boundary: string | null]> = [
    ['--b\r\nContent-Disposition: form-data', 'b'],
    [`------------------------d74496d66958873e\r\n${disposition}`, '----------------------d74496d66958873e'],
    [`--${'x'.repeat(70)}\r\n`, 'x'.repeat(70)],
    ['--b \t\r\n', 'b'],
    ['--a b\r\n', 'a b'],
    [`--${'x'.repeat(71)}\r\n`, null],
    ['--b\n', null],
    ['--b', null],
    ['--\r\n', null],
    ['-- \r\n', null],
    ['--a"b\r\n', null],
    ['\r\n--b\r\n', null],
    ['{"filename": "--b\r\n"}', null],
    ['', null],
  ];
  for (const [head, boundary] of heads) assert.equal(sniffBoundary(Buffer.from(head)), boundary, head);
});

function lines(...texts: string[]): string {
  return texts.join('\r\n');
}

function headers(count: number): string {
  return lines(...Array.from({ length: count }, (_, index) => `X-${index}: y`));
}

/** The rest of the delimiter's line and one header, `sizeBytes` long in total. */
function longHeader(sizeBytes: number): string {
  return '\r\nX: '.padEnd(sizeBytes, 'y');
}

function parse(body: string | Buffer, boundary = 'b', chunkBytes = 1 << 20): Promise<Plain[]> {
  return collect(Readable.from(inChunks(Buffer.from(body), chunkBytes)), boundary);
}

async function contentsOf(body: string, boundary = 'b'): Promise<string[]> {
  return (await parse(body, boundary)).map(({ content }) => content);
}

async function collect(source: AsyncIterable<Buffer>, boundary: string): Promise<Plain[]> {
  const parts: Plain[] = [];
  for await (const { body, ...rest } of readParts(source, boundary)) {
    const content = Buffer.concat(await Array.fromAsync(body)).toString('latin1');
    parts.push({ ...rest, content });
  }
  return parts;
}

function inChunks(body: Buffer, sizeBytes: number): Buffer[] {
  const count = Math.ceil(body.length / sizeBytes);
  return Array.from({ length: count }, (_, index) => body.subarray(index * sizeBytes, (index + 1) * sizeBytes));
}

function cutAt(body: Buffer, cuts: number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (body.length + 1)).sort((a, b) => a - b), body.length];
  return places.slice(1).map((end, index) => body.subarray(places[index], end));
}

/** Names of any characters that a header can carry; contents full of near-delimiters, but never a delimiter. */
function anyParts(): fc.Arbitrary<Plain[]> {
  const text = fc.option(fc.string({ unit: 'grapheme', maxLength: 8 }));
  const lookalike = fc.constantFrom(
    ...['\r', '\n', '--', '\r\n--', '--bound', '\r\n--boun', '\r\r\n', 'bound', '\r\n\r\n'],
  );
  const bytes = fc.uint8Array({ maxLength: 6 }).map((array) => Buffer.from(array).toString('latin1'));
  const content = fc
    .array(fc.oneof({ weight: 3, arbitrary: lookalike }, bytes), { maxLength: 12 })
    .map((pieces) => pieces.join(''))
    .filter((joined) => !`\r\n${joined}`.includes('\r\n--bound'));
  const contentType = fc.option(fc.stringMatching(/^[a-z]{1,8}\/[a-z]{1,8}$/));
  const anyPart = fc.record({ name: text, fileName: text, contentType, content }, { noNullPrototype: true });
  return fc.array(anyPart, { maxLength: 6 });
}

function serialise(parts: Plain[]): Buffer {
  const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
  const pieces = parts.map(({ name, fileName, contentType, content }) => {
    const parameters = [
      ...(name === null ? [] : [`; name=${quote(name)}`]),
      ...(fileName === null ? [] : [`; filename=${quote(fileName)}`]),
    ];
    const type = contentType === null ? [] : [`Content-Type: ${contentType}`];
    const head = lines('--bound', `Content-Disposition: form-data${parameters.join('')}`, ...type, '', '');
    return Buffer.concat([Buffer.from(head), Buffer.from(`${content}\r\n`, 'latin1')]);
  });
  return Buffer.concat([...pieces, Buffer.from('--bound--\r\n')]);
}
