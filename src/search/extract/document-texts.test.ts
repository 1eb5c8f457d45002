// Text on demand: what is kept, who waits for whom, and what is not extracted.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import type { Refusal } from '../../domain/refusal.ts';
import { DocumentTexts, oneAtATime, type TextSource } from './document-texts.ts';
import type { FromExtractor, ToExtractor } from './extractor-thread.ts';

/** An extractor whose documents are finished by the test. */
class Extractor {
  readonly begun: string[] = [];
  readonly #finish: ((outcome: FromExtractor | null) => void)[] = [];

  extract = ({ bytes }: ToExtractor): Promise<FromExtractor | null> => {
    this.begun.push(Buffer.from(bytes).toString());
    return new Promise((resolve) => this.#finish.push(resolve));
  };

  finish(outcome: FromExtractor | null): void {
    this.#finish.shift()?.(outcome);
  }
}

function toSource(space: number, content: string, contentType = 'application/pdf'): TextSource {
  const bytes = Buffer.from(content);
  return {
    ...{ space, name: 'a', contentType, sizeBytes: bytes.length },
    sha256: hash('sha256', bytes, 'buffer'),
    readBytes: async (maxBytes) => bytes.subarray(0, maxBytes),
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a document is extracted once, and equal contents share its text', async () => {
  const extractor = new Extractor();
  const texts = new DocumentTexts(extractor.extract);
  const readings = [texts.read(toSource(1, 'x')), texts.read(toSource(2, 'x'))];
  await settled();
  extractor.finish({ text: 'text', isCut: false });
  assert.deepEqual(await Promise.all(readings), Array(2).fill({ text: 'text', isCut: false }));
  assert.deepEqual(await texts.read(toSource(3, 'x')), { text: 'text', isCut: false });
  assert.deepEqual(extractor.begun, ['x']);
});

test('spaces take turns, and one that sends too many is refused', async () => {
  const extractor = new Extractor();
  const texts = new DocumentTexts(extractor.extract);
  const many = Array.from({ length: 17 }, (_, n) => texts.read(toSource(1, `one ${n}`)));
  const other = texts.read(toSource(2, 'two'));
  await assert.rejects(texts.read(toSource(1, 'one more')), (error) => (error as Refusal).code === 'TooManyRequests');
  for (let n = 0; n < 18; n += 1) {
    await settled();
    extractor.finish({ text: '', isCut: false });
  }
  await Promise.all([...many, other]);
  assert.deepEqual(extractor.begun.slice(0, 3), ['one 0', 'one 1', 'two']);
});

test('a document that is interrupted is tried again, and then has a reason', async () => {
  const extractor = new Extractor();
  const reading = new DocumentTexts(extractor.extract).read(toSource(1, 'x'));
  for (let n = 0; n < 2; n += 1) {
    await settled();
    extractor.finish(null);
  }
  assert.deepEqual(await reading, { reason: 'reading it was interrupted' });
  assert.equal(extractor.begun.length, 2);
});

test('small text is read at once; what has no text is null; a large document is not begun', async () => {
  const extractor = new Extractor();
  const texts = new DocumentTexts(extractor.extract);
  assert.deepEqual(await texts.read(toSource(1, 'a  b', 'text/plain')), { text: 'a b', isCut: false });
  assert.equal(await texts.read(toSource(1, 'x', 'image/png')), null);
  const large = { ...toSource(1, 'x'), sizeBytes: 33 * 1024 * 1024 };
  assert.deepEqual(await texts.read(large), { reason: 'it is larger than 32 MiB' });
  assert.deepEqual(extractor.begun, []);
});

test('the process gets one document at a time', async () => {
  const extractor = new Extractor();
  const extract = oneAtATime(extractor);
  const toRequest = (text: string): ToExtractor => ({
    kind: 'pdf',
    charset: null,
    bytes: new Uint8Array(Buffer.from(text)),
  });
  const both = [extract(toRequest('a')), extract(toRequest('b'))];
  await settled();
  assert.deepEqual(extractor.begun, ['a']);
  extractor.finish(null);
  await settled();
  assert.deepEqual(extractor.begun, ['a', 'b']);
  extractor.finish(null);
  assert.deepEqual(await Promise.all(both), [null, null]);
});
