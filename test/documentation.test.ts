// Holds the pages of docs/ to the code: every request, setting and command is on its page, and nothing else.

import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { renderPage } from '../docs/generate-events.ts';
import { renderRequests } from '../docs/generate-requests.ts';

const root = resolve(import.meta.dirname, '..');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** All pages of the API reference as one text. */
function readApiReference(): string {
  return globSync('docs/api/*.md', { cwd: root }).map(read).join('\n');
}

test('docs/api/requests.md lists every request', () => {
  assert.equal(read('docs/api/requests.md'), renderRequests(), 'run bin/pinned-node docs/generate-requests.ts');
});

test('the API reference shows every request with curl', async () => {
  const { routes } = await import('../src/rest/routes.ts');
  const content = '/v1/contentmanagement';
  const lines =
    readApiReference()
      .replaceAll('\\\n', ' ')
      .match(/^curl .*$/gm) ?? [];
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

test('the API reference has a link to each of its pages', () => {
  const pages = readdirSync(join(root, 'docs/api')).filter((name) => name !== 'README.md');
  const linked = new Set([...read('docs/api/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => name));
  assert.deepEqual(
    pages.filter((name) => !linked.has(name)),
    [],
  );
});

/** The anchors of a page, as GitHub makes them of headings. */
function listAnchors(page: string): string[] {
  const headings = [...page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/<[^>]*>|\]\([^)]*\)/g, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...headings, ...[...page.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)];
}

test('every link of the documentation leads to a file that exists, and to a heading of it', () => {
  const patterns = ['*.md', '{docs,sdk,examples,bench,deploy,test}/**/*.md'];
  const paths = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] });
  assert.ok(paths.length > 50);
  const broken = paths.flatMap((path) => {
    const text = read(path).replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, '');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    return targets
      .filter((target) => !target.includes('://') && !leadsSomewhere(path, target))
      .map((to) => `${path}: ${to}`);
  });
  assert.deepEqual(broken, []);
});

function leadsSomewhere(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? join(root, from) : resolve(root, dirname(from), file);
  if (!existsSync(path)) return false;
  return anchor === undefined || !path.endsWith('.md') || listAnchors(readFileSync(path, 'utf8')).includes(anchor);
}

test('the documented examples of searches are valid queries', async () => {
  const [{ parseQuery }, { searchRoute }] = await Promise.all([
    import('../src/search/query.ts'),
    import('../src/rest/routes/search.ts'),
  ]);
  const described = searchRoute.describe.parameters?.find(({ name }) => name === 'q')?.example;
  const shown = [...read('docs/api/search.md').matchAll(/--data-urlencode 'q=([^']+)'/g)].map(([, text]) => text);
  assert.ok(shown.length > 0);
  for (const text of [described, ...shown]) assert.ok(parseQuery(String(text)).terms.length > 0);
});

test('every setting is documented, and nothing else is documented', async () => {
  const { settings } = await import('../src/config/settings.ts');
  const documented = [...read('docs/configuration.md').matchAll(/^\| `(CABINET_[A-Z_]+)` \|/gm)].map(
    ([, name]) => name,
  );
  assert.deepEqual(documented.sort(), Object.keys(settings).sort());
});

test('every command is documented', () => {
  const lists = read('src/cli/main.ts') + read('src/cli/user/groups.ts');
  const commands = [...lists.matchAll(/^ +'?([\w-]+)'?: async \(\) =>/gm)].map(([, name]) => name);
  assert.ok(commands.length > 40);
  const [operators, guide] = [read('docs/operator-commands.md'), read('docs/command-line.md')];
  const isShown = (name = '') =>
    new RegExp(`^bin/cabinet ${name}\\b`, 'm').test(operators) || guide.includes(`\`${name}`);
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
  assert.equal(page, renderPage(page), 'run bin/pinned-node docs/generate-events.ts');
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
