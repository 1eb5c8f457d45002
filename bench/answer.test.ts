import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAnswer, checkEnvelope, parseHead } from './answer.ts';

const saved = { kind: 'saved', childrenCount: 1 } as const;

function toBody(child: { Name: string; Size: number }): Buffer {
  return Buffer.from(JSON.stringify({ Folder: { Id: '1', Name: 'f', Size: 4096 }, Children: [{ Id: '2', ...child }] }));
}

test('a head is found only when it is whole, and tells where the body ends', () => {
  const response = Buffer.from('HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 5\r\n\r\nhello');
  const bodyStart = response.length - 5;
  for (let length = 0; length < bodyStart; length++) assert.equal(parseHead(response.subarray(0, length)), null);
  assert.deepEqual(parseHead(response), { status: 200, bodyStart, end: response.length });
});

test('a chunked answer is refused by name', () => {
  const response = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n');
  assert.throws(() => parseHead(response), /in chunks/);
});

test('the saved name and size make an answer right', () => {
  assert.equal(checkAnswer(toBody({ Name: 'a.bin', Size: 4096 }), 200, saved, 'a.bin'), null);
  assert.equal(checkEnvelope(toBody({ Name: 'a.bin', Size: 4096 }), saved, 'a.bin'), null);
});

test('correct JSON with white space and another order of fields is right too', () => {
  const body = Buffer.from('{ "Children": [ { "Size": 4096, "Name": "a.bin" } ] }');
  assert.equal(checkAnswer(body, 200, saved, 'a.bin'), null);
});

test('another name, another size and another status are wrong', () => {
  assert.match(checkAnswer(toBody({ Name: 'b.bin', Size: 4096 }), 200, saved, 'a.bin') ?? '', /first child is b\.bin/);
  assert.match(checkAnswer(toBody({ Name: 'a.bin', Size: 40960 }), 200, saved, 'a.bin') ?? '', /of 40960 bytes/);
  assert.match(checkAnswer(Buffer.from('{"Error":{}}'), 500, saved, 'a.bin') ?? '', /status 500.*Error/);
  assert.match(
    checkEnvelope(toBody({ Name: 'a.bin', Size: 4096 }), { ...saved, childrenCount: 100 }, 'a.bin') ?? '',
    /1 ch/,
  );
});
