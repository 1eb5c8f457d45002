import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { auditOnly, eventTypes, isEventPattern, matchEvent } from './webhook-events.ts';

const source = join(import.meta.dirname, '..');

/** Actions that are put together from a state. */
const composed: Record<string, readonly string[]> = {
  'user.': ['user.active', 'user.disabled'],
  'device.': ['device.allowed', 'device.denied', 'device.failed'],
  'sign-in.': ['sign-in.succeeded', 'sign-in.failed'],
  'application.': ['application.active', 'application.disabled', 'application.removed'],
};

/** Every action that the verbs can write to the journal: quoted text such as 'file.saved', and composed ones. */
function findActions(): Map<string, string> {
  const actions = new Map<string, string>();
  for (const path of globSync('{catalog/verbs/*,domain/chain}.ts', { cwd: source })) {
    if (path.endsWith('.test.ts')) continue;
    const text = readFileSync(join(source, path), 'utf8');
    for (const [, action = ''] of text.matchAll(/'([a-z]+(?:-[a-z]+)*\.[a-z]+(?:-[a-z]+)*)'/g))
      actions.set(action, path);
    for (const [, start = ''] of text.matchAll(/`([a-z-]+\.)\$\{/g)) {
      for (const action of composed[start] ?? assert.fail(`${path}: name the actions that begin with ${start}`))
        actions.set(action, path);
    }
  }
  for (const other of ['content.read', 'content.write', 'content.admin']) actions.delete(other);
  // A line of `GET /changes` that is not in the journal.
  actions.delete('entry.hidden');
  return actions;
}

test('every action of the journal is an event with a description and an example, and nothing else is', () => {
  const actions = findActions();
  for (const action of auditOnly) {
    assert.ok(actions.delete(action), action);
    assert.equal(matchEvent(['*'], action), false);
  }
  assert.ok(actions.size > 40, `only ${actions.size} actions were found`);
  const described = new Set(eventTypes.map(({ action }) => action));
  const missing = [...actions].filter(([action]) => !described.has(action) && action !== 'webhook.test');
  assert.deepEqual(missing, [], 'add them to src/domain/webhook-events.ts');
  assert.deepEqual(
    [...described].filter((action) => !actions.has(action)),
    [],
    'nothing writes them to the journal',
  );
  for (const { action, about } of eventTypes) assert.match(about, /^[A-Z].+\.$/, action);
});

test('patterns are *, groups and actions', () => {
  for (const pattern of ['*', 'file.*', 'folder.*', 'entry.*', 'user.*', 'file.saved', 'app-password.added'])
    assert.equal(isEventPattern(pattern), true, pattern);
  for (const pattern of ['', 'file', 'file.', '.*', '*.*', 'file.nothing', 'nothing.*', 'cabinet.file.saved', '**'])
    assert.equal(isEventPattern(pattern), false, pattern);
});

test('a pattern matches an action, or only for entries of a kind', () => {
  assert.equal(matchEvent(['*'], 'anything.at-all'), true);
  assert.equal(matchEvent(['file.saved'], 'file.saved'), true);
  assert.equal(matchEvent(['file.saved'], 'file.created'), false);
  assert.equal(matchEvent(['file.*'], 'file.created'), true);
  assert.equal(matchEvent(['file.*'], 'folder.created'), false);
  assert.deepEqual(matchEvent(['file.*'], 'entry.trashed'), ['file']);
  assert.deepEqual(matchEvent(['folder.*'], 'entry.changed'), ['folder']);
  assert.equal(matchEvent(['folder.*', 'file.*'], 'entry.changed'), true);
  assert.equal(matchEvent(['folder.*', 'entry.*'], 'entry.changed'), true);
  assert.equal(matchEvent(['file.*'], 'version.removed'), true);
  assert.equal(matchEvent(['folder.*'], 'version.removed'), false);
  assert.equal(matchEvent(['file.*'], 'entries.purged'), false);
  assert.equal(matchEvent(['file.saved'], 'entry.changed'), false);
});
