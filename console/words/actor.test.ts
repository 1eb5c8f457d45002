import assert from 'node:assert/strict';
import { test } from 'node:test';
import { showActor } from './actor.ts';
import { de } from './de.ts';
import { en } from './en.ts';

test('applications and guests are named in plain words, people by their name', () => {
  const actors = ['app:office', 'share:8f1c', 'edith', 'corporate:4711', 'application'];
  assert.deepEqual(
    actors.map((actor) => showActor(actor, en)),
    ['the application office', 'a guest with a link', 'edith', 'corporate:4711', 'application'],
  );
  assert.equal(showActor('app:office', de), 'Anwendung office');
});
