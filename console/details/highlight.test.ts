import assert from 'node:assert/strict';
import { test } from 'node:test';
import { highlightLines, languageOf } from './highlight.ts';

test('languages are known by names and by types', () => {
  const names = [
    'a.ts',
    'A.PY',
    'Makefile',
    'Dockerfile',
    '.bashrc',
    'x.mts',
    'b.vue',
    'c.jsonl',
    'd.tar.toml',
    'e.yml',
  ];
  const unknown = names.filter((name) => languageOf(name, 'application/octet-stream') === null);
  assert.deepEqual(unknown, []);
  assert.equal(languageOf('data', 'application/json; charset=utf-8'), 'json');
  assert.equal(languageOf('feed', 'application/atom+xml'), 'xml');
  assert.equal(languageOf('data', 'application/octet-stream'), null);
});

test('tokens keep every character, line by line, also where a comment goes over lines', () => {
  const text = 'const a = 42; // why\r\n/* one\ntwo */ "<b>"\n\nend';
  const lines = highlightLines(text, 'typescript');
  assert.deepEqual(
    lines.map((line) => line.map((token) => token.text).join('')),
    text.split(/\r?\n/),
  );
  const find = (part: string) => lines.flat().find((token) => token.text.includes(part))?.kind;
  assert.deepEqual(['const', '42', 'why', 'two', '<b>'].map(find), ['word', 'number', 'comment', 'comment', 'string']);
});
