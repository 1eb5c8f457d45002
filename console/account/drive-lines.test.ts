import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systems, toDavUrl, toDavUser, toDriveLines } from './drive-lines.ts';

test('the address has the path of the service and the name of the space, encoded', () => {
  assert.equal(
    toDavUrl('https://files.example.org/cabinet', 'Büro 1'),
    'https://files.example.org/cabinet/dav/B%C3%BCro%201/',
  );
  assert.equal(toDavUser('https://idp.example#100%'), 'https%3A//idp.example#100%25');
});

test('every system gets the address and the user, quoted where a shell needs it', () => {
  const url = 'https://files.example.org/dav/office/';
  for (const system of systems) {
    const lines = toDriveLines(system, url, "o'neil");
    assert.ok(lines.length > 0);
    assert.ok(
      lines.some(({ text }) => text.includes('files.example.org/dav/office/')),
      system,
    );
  }
  assert.equal(toDriveLines('linux', url, 'ann')[0]?.text, 'davs://files.example.org/dav/office/');
  assert.equal(toDriveLines('curl', url, "o'neil")[0]?.text, `curl -u 'o'\\''neil' -T report.pdf ${url}`);
});
