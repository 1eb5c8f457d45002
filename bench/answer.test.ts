import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAnswer, checkContentHead, checkEnvelope, parseHead } from './answer.ts';

const saved = { kind: 'saved', childrenCount: 1 } as const;
const wanted = { name: 'a.bin', sizeBytes: 4096 };

function toBody(child: { Name: string; Size: number }): Buffer {
  return Buffer.from(JSON.stringify({ Folder: { Id: '1', Name: 'f', Size: 4096 }, Children: [{ Id: '2', ...child }] }));
}

test('a head is found only when it is complete, and has the length of the body', () => {
  const response = Buffer.from('HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 5\r\n\r\nhello');
  const bodyStart = response.length - 5;
  for (let length = 0; length < bodyStart; length++) assert.equal(parseHead(response.subarray(0, length)), null);
  assert.deepEqual(parseHead(response), { status: 200, bodyStart, end: response.length });
});

test('a chunked answer ends with its last chunk', () => {
  const response = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n');
  for (let length = 0; length < response.length; length++) assert.equal(parseHead(response.subarray(0, length)), null);
  assert.equal(parseHead(response)?.end, response.length);
  assert.throws(() => parseHead(Buffer.from('HTTP/1.1 200 OK\r\n\r\n')), /unknown length/);
});

test('a response with the saved name and size is correct', () => {
  assert.equal(checkAnswer(toBody({ Name: 'a.bin', Size: 4096 }), 200, saved, wanted), null);
  assert.equal(checkEnvelope(toBody({ Name: 'a.bin', Size: 4096 }), saved, wanted), null);
});

test('JSON with white space and another order of fields is correct too', () => {
  const body = Buffer.from('{ "Children": [ { "Size": 4096, "Name": "a.bin" } ] }');
  assert.equal(checkAnswer(body, 200, saved, wanted), null);
});

test('where only a status is expected, any other is wrong', () => {
  const created = { kind: 'status', status: 201 } as const;
  assert.equal(checkAnswer(Buffer.alloc(0), 201, created, wanted), null);
  assert.match(checkAnswer(Buffer.alloc(0), 200, created, wanted) ?? '', /status 200, wanted 201/);
  assert.equal(parseHead(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'))?.status, 204);
});

test('another name, another size and another status are wrong', () => {
  assert.match(checkAnswer(toBody({ Name: 'b.bin', Size: 4096 }), 200, saved, wanted) ?? '', /first child is b\.bin/);
  assert.match(checkAnswer(toBody({ Name: 'a.bin', Size: 40960 }), 200, saved, wanted) ?? '', /of 40960 bytes/);
  assert.match(checkAnswer(Buffer.from('{"Error":{}}'), 500, saved, wanted) ?? '', /status 500.*Error/);
  assert.match(
    checkEnvelope(toBody({ Name: 'a.bin', Size: 4096 }), { ...saved, childrenCount: 100 }, wanted) ?? '',
    /1 ch/,
  );
});

test('a content is right by its status and its length, of which a 304 has none', () => {
  const bytes = Buffer.from('HTTP/1.1 206 Partial Content\r\nContent-Length: 5\r\n\r\nhe');
  const head = parseHead(bytes);
  assert.ok(head !== null);
  assert.equal(checkContentHead(bytes, head, { status: 206, sizeBytes: 5 }), null);
  assert.match(checkContentHead(bytes, head, { status: 200, sizeBytes: 5 }) ?? '', /status 206, wanted 200/);
  assert.match(checkContentHead(bytes, head, { status: 206, sizeBytes: 6 }) ?? '', /5 bytes, wanted 6/);
  const unchanged = Buffer.from('HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n');
  assert.equal(parseHead(unchanged)?.end, unchanged.length);
});
