import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Kind, kindOf } from './kind.ts';

const look = (Name: string, ContentType: string): Kind => kindOf({ Type: 'file', Name, ContentType });

test('source code is known by its name, whatever type was guessed from it', () => {
  assert.equal(look('code.ts', 'video/mp2t'), 'code');
  assert.equal(look('mod.mts', 'video/mp2t'), 'code');
  assert.equal(look('main.rs', 'application/rls-services+xml'), 'code');
  assert.equal(look('run.py', 'application/octet-stream'), 'code');
  assert.equal(look('Dockerfile', 'application/octet-stream'), 'code');
  assert.equal(look('code.go', 'text/plain'), 'code');
});

test('a declared type decides where names are no source code', () => {
  assert.equal(look('film.mp4', 'video/mp4'), 'film');
  assert.equal(look('stream', 'video/mp2t'), 'film');
  assert.equal(look('song.m4a', 'audio/mp4'), 'sound');
  assert.equal(look('sun.svg', 'image/svg+xml'), 'picture');
  assert.equal(look('script.js', 'application/pdf'), 'pdf');
  assert.equal(look('notes.md', 'text/plain'), 'markdown');
  assert.equal(look('numbers.csv', 'application/vnd.ms-excel'), 'table');
  assert.equal(look('letter.txt', 'text/plain'), 'text');
  assert.equal(look('plan.docx', 'application/octet-stream'), 'office');
  const sheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  assert.equal(look('numbers', sheet), 'office');
  assert.equal(look('data', 'application/octet-stream'), 'other');
});
