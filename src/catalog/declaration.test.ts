import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { registry } from './catalog.ts';

const folder = join(import.meta.dirname, 'verbs');

/** Everything that the files of the verbs export, with the file it is in. */
async function listExports(): Promise<{ file: string; name: string; value: unknown }[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const modules = await Promise.all(
    files.map(async (file) => ({ file, exported: (await import(join(folder, file))) as Record<string, unknown> })),
  );
  return modules.flatMap(({ file, exported }) =>
    Object.entries(exported).map(([name, value]) => ({ file, name, value })),
  );
}

test('every declared verb is in the registry under the name that it is exported with, and nothing else is', async () => {
  const declared = (await listExports()).filter(({ value }) => typeof value === 'function' && 'kind' in value);
  assert.ok(declared.length > 90);
  assert.deepEqual(declared.map(({ name }) => name).sort(), [...registry.keys()].sort());
  for (const { file, name, value } of declared) assert.equal(registry.get(name), value, `${name} of ${file}`);
});

test('every verb of the registry has a declaration', () => {
  for (const [name, verb] of registry) {
    assert.ok(verb.kind === 'read' || verb.kind === 'write', `${name} is declared with neither read() nor write()`);
    assert.equal(verb.name, name, `the generator of ${name} has another name`);
    assert.equal(verb.length, 1, `${name} does not take one input`);
  }
});

test('every write states its space, its lock and what it changes of cached pages', () => {
  for (const [name, verb] of registry) {
    if (verb.kind !== 'write') continue;
    assert.equal(typeof verb.space, 'function', `${name}: space`);
    assert.ok(['shared', 'exclusive'].includes(verb.lock), `${name}: lock`);
    assert.ok(
      ['unchanged', 'all'].includes(verb.pages as string) || typeof verb.pages === 'function',
      `${name}: pages`,
    );
  }
});

test('a verb that inserts numbered rows in a batch claims what must not be inserted twice', () => {
  for (const [name, verb] of registry) {
    if (verb.kind !== 'write' || !verb.readsPendingSums) continue;
    assert.equal(verb.lock, 'shared', `${name}: only verbs that share their space are batched`);
    assert.notEqual(verb.claims.name, 'claimNothing', `${name}: claims`);
    assert.notEqual(verb.newRows.name, 'addNoRows', `${name}: newRows`);
  }
});
