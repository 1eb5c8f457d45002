// Holds the pages of docs/ to the code: every request, setting and command is on its page, and nothing else.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { renderPage } from '../docs/generate-events.ts';

const root = resolve(import.meta.dirname, '..');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

test('docs/api.md lists every request with its summary and nothing else, and shows each with curl', async () => {
  const { routes } = await import('../src/rest/routes.ts');
  const api = read('docs/api.md');
  const content = '/v1/contentmanagement';
  const there = routes
    .filter(({ action, isForPeople }) => action !== 'foreign' && isForPeople !== true)
    .map(({ method, path, describe }) => {
      const shown = path.startsWith(content) ? path.slice(content.length) : `{base}${path}`;
      return `| \`${method} ${shown}\` | ${describe.summary} |`;
    });
  const listed = api.match(/^\| `[A-Z]+ (\{base\})?\/.*$/gm) ?? [];
  assert.deepEqual(listed.toSorted(), there.toSorted());
  const lines = api.replaceAll('\\\n', ' ').match(/^curl .*$/gm) ?? [];
  const missing = routes.filter(({ method, path }) => {
    if (!path.startsWith(content)) return false;
    const pattern = path.slice(content.length).replaceAll(/\{\w+\}/g, '[^/"?]+');
    const address = new RegExp(`"\\$BASE${pattern}["?]`);
    const isMeant = (line: string) => method === 'GET' || method === 'POST' || line.includes(`-X ${method} `);
    return !lines.some((line) => address.test(line) && isMeant(line));
  });
  assert.deepEqual(
    missing.map(({ method, path }) => `no curl for ${method} ${path}`),
    [],
  );
});

test('the documented examples of searches are valid queries', async () => {
  const [{ parseQuery }, { searchRoute }] = await Promise.all([
    import('../src/search/query.ts'),
    import('../src/rest/routes/search.ts'),
  ]);
  const described = searchRoute.describe.parameters?.find(({ name }) => name === 'q')?.example;
  const shown = [...read('docs/api.md').matchAll(/--data-urlencode 'q=([^']+)'/g)].map(([, text]) => text);
  assert.ok(shown.length > 0);
  for (const text of [described, ...shown]) assert.ok(parseQuery(String(text)).terms.length > 0);
});

test('every setting is documented, and nothing else is documented', async () => {
  const { settings } = await import('../src/config/settings.ts');
  const documented = [...read('docs/running.md').matchAll(/^\| `(CABINET_[A-Z_]+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(documented.sort(), Object.keys(settings).sort());
});

test('every command is documented', () => {
  const commands = [...read('src/cli/main.ts').matchAll(/^ {2}(\w+): async \(\) =>/gm)].map(([, name]) => name);
  assert.ok(commands.length > 20);
  const [running, guide] = [read('docs/running.md'), read('docs/command-line.md')];
  const isShown = (name = '') =>
    new RegExp(`^bin/cabinet ${name}\\b`, 'm').test(running) || guide.includes(`\`${name}`);
  assert.deepEqual(
    commands.filter((name) => !isShown(name)),
    [],
  );
});

test('the schema in ARCHITECTURE.md has every table', () => {
  const folder = 'src/catalog/migrations/sqlite';
  const migrations = readdirSync(join(root, folder)).map((name) => read(join(folder, name)));
  // While a table is rebuilt it is called `new_…`.
  const created = migrations.flatMap((text) =>
    [...text.matchAll(/CREATE TABLE (?!new_)(\w+)/g)].map(([, name]) => name),
  );
  const [, schema = ''] = read('ARCHITECTURE.md').split('\n## Schema\n')[1]?.split('```\n') ?? [];
  const documented = [...schema.matchAll(/^(\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(documented.sort(), [...new Set(created)].sort());
});

test('docs/webhooks.md lists every event', () => {
  const page = read('docs/webhooks.md');
  assert.equal(page, renderPage(page), 'run node docs/generate-events.ts');
});

test('every file that docs/security.md names as evidence is there', () => {
  const named = [...read('docs/security.md').matchAll(/`((?:test|src)\/[\w./-]+\.ts)`/g)].map(
    ([, path]) => path as string,
  );
  assert.ok(named.length > 50);
  assert.deepEqual(
    named.filter((path) => !existsSync(join(root, path))),
    [],
  );
});
