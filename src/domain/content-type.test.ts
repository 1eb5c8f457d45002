// How the content type of a file is chosen (docs/contract.md §2.1), and how Content-Type is parsed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkMediaType, readMediaType, toContentType } from './content-type.ts';

const nothing = new Uint8Array();
const ftyp = (brand: string): string => `\0\0\0\x20ftyp${brand}\0\0\0\0`;
const ogg = (codec: string): string => `OggS\0\x02${'\0'.repeat(22)}${codec}`;
const ebml = (docType: string): string => `\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82${docType}`;
const zip = 'PK\x03\x04\x14\0';
const ole = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0';

test('a declared type is kept as it was sent', () => {
  assert.equal(toContentType('text/plain; charset=utf-8', bytes('%PDF-1.7'), 'a.png'), 'text/plain; charset=utf-8');
  assert.equal(toContentType(' Image/PNG ', nothing, 'a'), 'Image/PNG');
});

test('absent, malformed and application/octet-stream declare nothing', () => {
  const long = `text/${'x'.repeat(255)}`;
  const undeclared = [
    undefined,
    '',
    'pdf',
    long,
    'application/octet-stream',
    'Application/Octet-Stream; charset=binary',
  ];
  for (const declared of undeclared) {
    assert.equal(toContentType(declared, bytes('%PDF-1.7'), 'a.png'), 'application/pdf');
  }
});

const byMagic: Array<[head: string, type: string]> = [
  ['%PDF-1.7\n', 'application/pdf'],
  ['%!PS-Adobe-3.0', 'application/postscript'],
  ['{\\rtf1\\ansi', 'application/rtf'],
  ['SQLite format 3\0', 'application/vnd.sqlite3'],
  [`${'\0'.repeat(128)}DICM`, 'application/dicom'],
  ['\0asm\x01\0\0\0', 'application/wasm'],
  ['\x7fELF\x02', 'application/x-elf'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['GIF89a', 'image/gif'],
  ['GIF87a', 'image/gif'],
  ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
  ['RIFF\x10\0\0\0WAVEfmt ', 'audio/wav'],
  ['RIFF\x10\0\0\0AVI LIST', 'video/x-msvideo'],
  ['BM\x10\x20\0\0\0\0\0\0', 'image/bmp'],
  ['II*\0\x08', 'image/tiff'],
  ['MM\0*\0', 'image/tiff'],
  ['\0\0\x01\0\x01\0\x10\x10\0\0', 'image/vnd.microsoft.icon'],
  ['8BPS\0\x01', 'image/vnd.adobe.photoshop'],
  ['\0\0\0\x0cJXL \r\n\x87\n', 'image/jxl'],
  [ftyp('heic'), 'image/heic'],
  [ftyp('mif1'), 'image/heif'],
  [ftyp('avif'), 'image/avif'],
  [ftyp('M4A '), 'audio/mp4'],
  [ftyp('qt  '), 'video/quicktime'],
  [ftyp('3gp4'), 'video/3gpp'],
  [ftyp('isom'), 'video/mp4'],
  [ebml('\x84webm'), 'video/webm'],
  [ebml('\x88matroska'), 'video/x-matroska'],
  [ogg('\x80theora'), 'video/ogg'],
  [ogg('\x01vorbis'), 'audio/ogg'],
  [ogg('OpusHead'), 'audio/ogg'],
  [ogg('fishead\0'), 'application/ogg'],
  ['fLaC\0\0\0\x22', 'audio/flac'],
  ['ID3\x04\0', 'audio/mpeg'],
  ['MThd\0\0\0\x06', 'audio/midi'],
  ['wOF2\0\x01', 'font/woff2'],
  ['OTTO\0', 'font/otf'],
  ['\x1f\x8b\x08\0', 'application/gzip'],
  ['BZh91AY&SY', 'application/x-bzip2'],
  ['\xfd7zXZ\0', 'application/x-xz'],
  ["7z\xbc\xaf'\x1c", 'application/x-7z-compressed'],
  ['\x28\xb5\x2f\xfd', 'application/zstd'],
  ['Rar!\x1a\x07\x01', 'application/vnd.rar'],
  [`${'a'.repeat(257)}ustar\0`, 'application/x-tar'],
  [zip, 'application/zip'],
  ['PK\x05\x06', 'application/zip'],
  [ole, 'application/x-ole-storage'],
];

test('magic bytes are known, whatever the extension', () => {
  for (const [head, type] of byMagic) assert.equal(toContentType(undefined, bytes(head), 'a.txt'), type, head);
});

test('magic bytes cut short are no magic bytes', () => {
  for (const [head, type] of byMagic) {
    const cut = toContentType(undefined, bytes(head.slice(0, 2)), 'a.txt');
    assert.equal(cut, 'text/plain', type);
  }
});

test('text that resembles a magic number goes by its extension', () => {
  for (const head of ['BMW is a car', 'RIFFRAFF', 'ID3 tags', 'PK is a name', 'MThd', 'Rar!', 'abcdftypes']) {
    assert.equal(toContentType(undefined, bytes(head), 'a.txt'), 'text/plain', head);
  }
});

test('in ZIP and OLE containers the extension decides when its files are such containers', () => {
  const cases: Array<[head: string, fileName: string, type: string]> = [
    [zip, 'a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    [zip, 'A.XLSX', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    [zip, 'a.odt', 'application/vnd.oasis.opendocument.text'],
    [zip, 'a.epub', 'application/epub+zip'],
    [zip, 'a.jar', 'application/java-archive'],
    [zip, 'a.zip', 'application/zip'],
    [zip, 'a.png', 'application/zip'],
    [zip, 'a.doc', 'application/zip'],
    [zip, 'docx', 'application/zip'],
    [ole, 'a.doc', 'application/msword'],
    [ole, 'a.xls', 'application/vnd.ms-excel'],
    [ole, 'a.msg', 'application/vnd.ms-outlook'],
    [ole, 'a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    [ole, 'a.odt', 'application/x-ole-storage'],
  ];
  for (const [head, fileName, type] of cases) {
    assert.equal(toContentType(undefined, bytes(head), fileName), type, fileName);
  }
});

test('then the extension decides, and without one nothing does', () => {
  assert.equal(toContentType(undefined, nothing, 'a.tar.CSV'), 'text/csv');
  assert.equal(toContentType(undefined, bytes('hello'), 'a.md'), 'text/markdown');
  for (const fileName of ['pdf', '.pdf', 'a.', 'a.nosuchthing', 'a.__proto__', '']) {
    assert.equal(toContentType(undefined, bytes('hello'), fileName), 'application/octet-stream', fileName);
  }
});

test('a view into a larger buffer is read from its own beginning', () => {
  assert.equal(toContentType(undefined, Buffer.from('xx%PDF-1.7').subarray(2), 'a'), 'application/pdf');
});

const readings: Array<[header: string, essence: string, parameters: Record<string, string>]> = [
  ['text/plain', 'text/plain', {}],
  ['  Text/PLAIN\t', 'text/plain', {}],
  ['text/plain;charset=UTF-8', 'text/plain', { charset: 'UTF-8' }],
  ['text/plain ; CharSet="utf-8" ;', 'text/plain', { charset: 'utf-8' }],
  ['multipart/form-data; boundary="a; b=\\"c\\" \\d"; x=1', 'multipart/form-data', { boundary: 'a; b="c" d', x: '1' }],
  ['application/json;;; boundary=--x', 'application/json', { boundary: '--x' }],
  ['a/b; c=""', 'a/b', { c: '' }],
];

test('a Content-Type is read into its essence and parameters', () => {
  for (const [header, essence, parameters] of readings) {
    const read = readMediaType(header);
    assert.equal(read?.essence, essence, header);
    assert.deepEqual(Object.fromEntries(read?.parameters ?? []), parameters, header);
  }
});

const malformed = [
  '',
  'text',
  'text/',
  '/plain',
  'text /plain',
  'text/plain/x',
  'text/plain charset=utf-8',
  'text/plain; charset',
  'text/plain; charset=',
  'text/plain; charset =utf-8',
  'text/plain; charset=utf-8 x',
  'text/plain; charset="utf-8',
  'text/plain; charset="utf-8"x',
  'text/plain; =x',
  'text/plain; a=1; A=2',
  'text/plain, text/html',
  'text/plain\r\nx: y',
  'text/plain; a="\0"',
  'text/plain; a="é"',
  'téxt/plain',
];

test('what is not exactly one media type is not read', () => {
  assert.equal(readMediaType(undefined), null);
  for (const header of malformed) assert.equal(readMediaType(header), null, header);
});

test('a media type is checked and returned trimmed', () => {
  assert.equal(checkMediaType(' text/plain; charset=utf-8 '), 'text/plain; charset=utf-8');
  assert.equal(checkMediaType(`a/${'b'.repeat(253)}`).length, 255);
  for (const value of [...malformed, `a/${'b'.repeat(254)}`, 'text/plain;\ta=b']) {
    assert.throws(() => checkMediaType(value), { code: 'InvalidField', details: { target: 'ContentType' } }, value);
  }
});

test('any parameters survive being quoted and read', () => {
  const token = fc.string({ unit: fc.constantFrom(...'abz09!#$%&-+._'), minLength: 1, maxLength: 8 });
  const value = fc.string({ unit: 'grapheme-ascii', maxLength: 20 });
  fc.assert(
    fc.property(token, token, fc.dictionary(token, value, { noNullPrototype: true }), (type, subtype, parameters) => {
      const quoted = Object.entries(parameters).map(([name, text]) => `; ${name}="${text.replace(/["\\]/g, '\\$&')}"`);
      const read = readMediaType(`${type}/${subtype}${quoted.join('')}`);
      assert.equal(read?.essence, `${type}/${subtype}`);
      assert.deepEqual([...read.parameters], Object.entries(parameters));
    }),
  );
});

test('long runs of anything are read in no time', () => {
  const before = process.cpuUsage();
  for (const run of [' ', '\t', ';', 'a', '"', '\\', '=', ' ;', 'a=', '; a="\\']) {
    readMediaType(`text/plain;a=b${run.repeat(200_000)}x`);
    readMediaType(`text/plain${run.repeat(200_000)}\x01`);
    readMediaType(run.repeat(200_000));
  }
  assert.ok(process.cpuUsage(before).user < 15e6, 'so many microseconds of processor time');
});

function bytes(latin1: string): Uint8Array {
  return Buffer.from(latin1, 'latin1');
}
