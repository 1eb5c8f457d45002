import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateRawSync } from 'node:zlib';
import { type DocumentKind, toReadable } from './document-kind.ts';
import {
  makeBombPdf,
  makeDocx,
  makeEncryptedPdf,
  makeEndlessPdf,
  makePdf,
  makePptx,
  makeXlsx,
  makeZip,
} from './documents-for-tests.ts';
import { Extractor } from './extractor.ts';
import { extractJson, extractText } from './text.ts';
import { maxTextChars } from './text-gatherer.ts';

const extractor = new Extractor(20_000);
after(() => extractor.close());

async function extract(kind: DocumentKind, bytes: Buffer | string, from = extractor): Promise<string> {
  const outcome = await from.extract({ kind, charset: null, bytes: new Uint8Array(Buffer.from(bytes)) });
  if (outcome === null) return '! interrupted';
  return 'text' in outcome ? outcome.text : `! ${outcome.reason}`;
}

test('text is decoded, and binary data is reported', () => {
  assert.equal(extractText(Buffer.from('Grüße\r\n\r\n  aus Köln\t!'), null), 'Grüße\naus Köln !');
  assert.equal(extractText(Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]), null), 'Grüße');
  assert.equal(extractText(Buffer.from('\ufeffGrüße', 'utf16le'), null), 'Grüße');
  assert.equal(extractText(Buffer.from('Gr\xfc\xdfe', 'latin1'), 'iso-8859-1'), 'Grüße');
  assert.equal(extractText(Buffer.from('x'), 'no-such-charset'), 'x');
  assert.throws(() => extractText(Buffer.from('MZ\0\0\0'), null), /not text/);
  assert.equal(extractText(Buffer.alloc(3 * maxTextChars, 'a '), null).length, maxTextChars);
  assert.equal(extractJson(Buffer.from('{"Name": "M\\u00fcller\\nGmbH"}')), '{"Name": "Müller GmbH"}');
});

test('HTML gives what a reader sees', async () => {
  const html = `<!doctype html><title>Offer &amp; price</title><style>p { color: red }</style><p>Con<b>tract</b> of <i>2026</i></p>
    <script>if (a < b) hidden()</script><!-- secret --><table><tr><td>one<td>two</table><img alt="A chart" src=x> 3 < 4 &eacute;&#x20AC;`;
  assert.equal(await extract('html', html), 'Offer & price\nContract of 2026\none two\nA chart 3 < 4 é€');
  assert.equal(await extract('html', `<meta charset="latin1"><p>\xfcber`.replace('\xfc', 'u')), 'uber');
  assert.equal(await extract('html', '<'.repeat(1_000_000)), '<'.repeat(1_000_000));
});

test('office documents give their text in order, without styles', async () => {
  assert.equal(await extract('docx', makeDocx(['First &amp; foremost', 'Second'])), 'First & foremost\nSecond');
  const sheet = await extract(
    'xlsx',
    makeXlsx('Budget', [
      ['Rent', 1200.5],
      ['Heating', 80],
    ]),
  );
  for (const word of ['Budget', 'Rent', 'Heating', '1200.5', '80']) assert.match(sheet, new RegExp(`\\b${word}\\b`));
  assert.doesNotMatch(sheet, /\b[01]\b/, 'the numbers of shared strings are nobody’s words');
  const slides = Array.from({ length: 11 }, (_, index) => `Slide ${index + 1}`);
  assert.equal(await extract('pptx', makePptx(slides)), slides.join('\n'));
});

test('a PDF gives its text', async () => {
  assert.equal(await extract('pdf', makePdf('Terms and conditions')), 'Terms and conditions');
});

test('damaged, encrypted and other documents are reported', async () => {
  const docx = makeDocx(['whole']);
  assert.equal(await extract('docx', docx.subarray(0, docx.length - 30)), '! it is damaged');
  assert.equal(await extract('docx', 'no zip at all, but long enough to be one'), '! it is damaged');
  assert.equal(await extract('docx', ''), '! it is damaged');
  assert.match(await extract('docx', makePptx(['x'])), /! it is not a document of the kind docx/);
  const locked = makeZip([{ name: 'word/document.xml', content: 'x', isEncrypted: true }]);
  assert.equal(await extract('docx', locked), '! it is encrypted');
  assert.equal(await extract('docx', Buffer.from('d0cf11e0a1b11ae100', 'hex')), '! it is encrypted');
  assert.equal(await extract('pdf', makeEncryptedPdf()), '! it is encrypted');
  assert.match(await extract('pdf', '%PDF-1.7 and then nothing'), /^! /);
  assert.match(await extract('pdf', ''), /^! /);
  const swapped = Buffer.from(docx);
  const at = docx.indexOf('word/document.xml') + 'word/document.xml'.length;
  swapped.fill(0xff, at + 5, at + 40);
  assert.equal(await extract('docx', swapped), '! it is damaged');
});

test('a ZIP that unpacks to far more than it is, is refused', async () => {
  const bomb = makeZip([{ name: 'word/document.xml', content: Buffer.alloc(80 * 1024 * 1024, 'x') }]);
  assert.ok(bomb.length < 1024 * 1024);
  assert.equal(await extract('docx', bomb), '! it unpacks to more than a document should');
});

test('many members that unpack to much together are refused too', async () => {
  const content = Buffer.alloc(24 * 1024 * 1024, 'x');
  const names = [1, 2, 3].map((number) => `ppt/slides/slide${number}.xml`);
  assert.equal(
    await extract('pptx', makeZip(names.map((name) => ({ name, content })))),
    '! it unpacks to more than a document should',
  );
});

test('an endless document is given up, and the next one is read', async () => {
  const hasty = new Extractor(2000);
  const begun = performance.now();
  assert.equal(await extract('pdf', makeEndlessPdf(), hasty), '! it took longer than 2 s');
  assert.ok(performance.now() - begun < 120_000);
  assert.equal(await extract('pdf', makePdf('next'), hasty), 'next');
  await hasty.close();
});

for (const [what, ending, outcome] of [
  ['aborts the process that reads it', 'process.abort()', '! reading it ended the process'],
  ['is being read when all processes are signalled', "process.kill(process.pid, 'SIGTERM')", '! interrupted'],
] as const) {
  test(`a document that ${what} affects nothing else, and the next one is read`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'cabinet-extractor-'));
    // Ends at the first document in the given way, and answers later ones.
    const [program, mark] = [join(folder, 'program.mjs'), join(folder, 'mark')];
    const answer = "process.send({ outcome: { text: 'next' }, isOver: false })";
    const text = `import { existsSync, writeFileSync } from 'node:fs';
      process.on('message', () => {
        if (existsSync('${mark}')) ${answer};
        else { writeFileSync('${mark}', ''); ${ending}; }
      });`;
    writeFileSync(program, text);
    const failing = new Extractor(20_000, program);
    context.after(() => failing.close());
    context.after(() => rmSync(folder, { recursive: true }));
    assert.equal(await extract('pdf', 'x', failing), outcome);
    assert.equal(await extract('pdf', 'x', failing), 'next');
  });
}

test('the extractor process ends when its parent is gone', async () => {
  const program = JSON.stringify(join(import.meta.dirname, 'extractor-process.ts'));
  const starter = `import { fork } from 'node:child_process';
    const child = fork(${program}, { execArgv: [], serialization: 'advanced' });
    child.send({ kind: 'html', charset: null, bytes: new Uint8Array(Buffer.from('<p>read')), timeoutMs: 60000 });
    child.on('message', ({ outcome }) => console.log(JSON.stringify([child.pid, outcome.text])));`;
  const words = ['--input-type=module', '-e', starter];
  const parent = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const [pid, text] = JSON.parse(String(line)) as [number, string];
  assert.equal(text, 'read');
  process.kill(pid, 0);
  parent.kill('SIGKILL');
  for (let isThere = true; isThere; await pause(20)) {
    try {
      process.kill(pid, 0);
    } catch {
      isThere = false;
    }
  }
});

test('a document that exhausts memory is given up, and this process stays small', async () => {
  const bomb = makeBombPdf(1024);
  assert.ok(bomb.length < 2 * 1024 * 1024);
  const before = process.memoryUsage.rss();
  let highest = 0;
  const watch = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss());
  }, 20);
  assert.equal(await extract('pdf', bomb), '! it took too much memory');
  clearInterval(watch);
  assert.ok(highest - before < 200 * 1024 * 1024, `grew from ${before} to ${highest}`);
  assert.equal(await extract('pdf', makePdf('next')), 'next');
});

test('random bytes never hang it', async () => {
  let seed = 7;
  const next = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return (seed >> 8) & 0xff;
  };
  const random = (length: number) => Buffer.from(Array.from({ length }, next));
  for (const kind of ['html', 'pdf', 'docx', 'xlsx', 'pptx'] as const) {
    for (const length of [1, 30, 1000]) assert.equal(typeof (await extract(kind, random(length))), 'string');
  }
  const torn = makeDocx([deflateRawSync(random(200)).toString('base64')]);
  for (let at = 0; at < torn.length; at += 7) {
    const changed = Buffer.from(torn);
    changed[at] = (changed[at] as number) ^ 0xff;
    assert.equal(typeof (await extract('docx', changed)), 'string');
  }
});

test('the content type says what can be read, the name only where the type says little', () => {
  const kindOf = (type: string, name = 'x') => toReadable(type, name)?.kind ?? null;
  assert.equal(kindOf('text/markdown; charset=utf-8'), 'text');
  assert.equal(toReadable('text/plain; charset=ISO-8859-1', 'x')?.charset, 'ISO-8859-1');
  assert.equal(kindOf('text/csv'), 'text');
  assert.equal(kindOf('application/problem+json'), 'json');
  assert.equal(kindOf('application/pdf'), 'pdf');
  assert.equal(kindOf('image/png', 'x.txt'), null);
  assert.equal(kindOf('application/octet-stream', 'x.DOCX'), 'docx');
  assert.equal(kindOf('application/zip', 'x.pptx'), 'pptx');
  assert.equal(kindOf('application/octet-stream', 'x.constructor'), null);
});
