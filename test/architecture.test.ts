// Holds the house together: who may import whom, and what is not to be found in it.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { refusalCodes } from '../src/domain/refusal.ts';

const root = resolve(import.meta.dirname, '..');

/** What each room may import beside itself, `domain` and `runtime`. `src` is `main.ts`. `sdk` is a package of its own, which stands
 *  beside `src`: it does not even know `domain`. */
const mayImport: Record<string, readonly string[]> = {
  sdk: [],
  console: ['sdk'],
  domain: [],
  runtime: [],
  catalog: [],
  blobs: [],
  certificates: [],
  archive: [],
  telemetry: ['catalog', 'blobs'],
  search: ['catalog', 'blobs'],
  operations: ['catalog', 'blobs', 'search', 'archive'],
  auth: ['catalog', 'certificates'],
  config: ['auth', 'blobs', 'certificates'],
  listener: ['rest', 'operations', 'auth', 'certificates', 'telemetry'],
  rest: ['listener', 'operations', 'auth', 'catalog', 'certificates', 'archive', 'telemetry'],
  jobs: ['operations', 'catalog', 'blobs', 'telemetry', 'maintenance', 'server', 'config'],
  maintenance: ['operations', 'catalog', 'blobs', 'auth', 'server', 'config'],
  control: ['operations', 'catalog', 'certificates', 'maintenance', 'server', 'config'],
  cli: [
    ...['sdk', 'console', 'config', 'operations', 'auth', 'catalog'],
    ...['maintenance', 'control', 'server', 'src'],
  ],
  server: [
    ...['config', 'operations', 'jobs', 'catalog', 'blobs', 'search', 'auth', 'certificates'],
    ...['listener', 'rest', 'telemetry', 'maintenance'],
  ],
  src: ['config', 'server', 'jobs', 'operations', 'auth', 'control', 'telemetry'],
};

/** Rooms of which another may know the types only. */
const typesOnly: Record<string, readonly string[]> = {
  telemetry: ['catalog', 'blobs'],
  operations: ['catalog', 'search'],
  auth: ['catalog', 'certificates'],
  rest: ['catalog'],
  control: ['catalog', 'server', 'config'],
};

/** Rooms that answer requests. */
const faces = ['listener', 'rest', 'auth'];

function listSources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

const sources = ['src', 'sdk/src'].flatMap(listSources).filter((path) => !/(\.test|-for-tests)\.ts$/.test(path));

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function roomOf(path: string): string {
  if (path.startsWith('sdk/')) return 'sdk';
  const [, room, ...rest] = path.split('/');
  return rest.length === 0 ? 'src' : (room ?? 'src');
}

function importsOf(path: string): { target: string; isType: boolean }[] {
  const found = read(path).matchAll(/^(?:import|export) (type )?[^;]*?from '(\.[^']+)'/gms);
  return [...found].map(([, type, target]) => ({
    target: relative(root, resolve(root, dirname(path), target as string)),
    isType: type !== undefined,
  }));
}

test('every room imports only what it may', () => {
  const wrong: string[] = [];
  for (const path of sources) {
    const room = roomOf(path);
    for (const { target, isType } of importsOf(path)) {
      const other = roomOf(target);
      const isForAll = other === 'runtime' ? !['sdk', 'domain'].includes(room) : other === 'domain' && room !== 'sdk';
      if (other === room || isForAll) continue;
      const isAllowed = mayImport[room]?.includes(other) ?? false;
      const needsType = typesOnly[room]?.includes(other) ?? false;
      if (!isAllowed || (needsType && !isType)) wrong.push(`${path} imports ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('what answers requests cannot reach what asks nobody for permission', () => {
  const wrong = sources
    .filter((path) => faces.includes(roomOf(path)))
    .flatMap((path) => importsOf(path).map(({ target, isType }) => ({ path, target, isType })))
    .filter(({ target, isType }) => !isType && target.startsWith('src/operations/admin/'));
  assert.deepEqual(wrong, []);
});

/** With types, and with what is loaded later. */
function everyImportOf(path: string): string[] {
  const later = [...read(path).matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, target]) =>
    relative(root, resolve(root, dirname(path), target as string)),
  );
  return [...importsOf(path).map(({ target }) => target), ...later].filter((target) => sources.includes(target));
}

test('no file imports itself by way of others', () => {
  const graph = new Map(sources.map((path) => [path, everyImportOf(path)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, way: string[]): void => {
    if (way.includes(path)) cycles.push([...way.slice(way.indexOf(path)), path].join(' → '));
    if (done.has(path) || way.includes(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...way, path]);
    done.add(path);
  };
  for (const path of sources) visit(path, []);
  assert.deepEqual(cycles, []);
});

test('a command that the running service carries out loads no more than it needs to ask', () => {
  const asking = ['app', 'audit', 'import', 'index-status', 'keys', 'quota', 'reset', 'token', 'user'];
  const loaded = new Set<string>();
  const load = (path: string) => {
    if (loaded.has(path)) return;
    loaded.add(path);
    for (const { target, isType } of importsOf(path)) if (!isType) load(target);
  };
  for (const name of asking) load(`src/cli/${name}.ts`);
  const packages = [...loaded].flatMap((path) => [...read(path).matchAll(/^import (?!type ).* from '([^.'][^']*)'/gm)]);
  const foreign = packages.map(([, name]) => name).filter((name) => !name?.startsWith('node:'));
  assert.deepEqual(foreign, []);
  assert.ok(loaded.has('src/control/ask.ts'));
  assert.ok(loaded.size < 40, `${loaded.size} files are loaded`);
});

test('the import rules speak of every room, and of none that is gone', () => {
  const rooms = new Set(sources.map(roomOf));
  const known = Object.keys(mayImport).filter((room) => room !== 'console' || existsSync(join(root, 'src/console')));
  assert.deepEqual([...rooms].sort(), known.sort());
});

/** Which files have the system's time and timers all the same, beside the rooms of programs that are no service, and why. */
const readsSystemTime: Record<string, string> = {
  'src/catalog/commits.ts':
    '`Atomics.waitAsync` has a time limit of its own; the rest after it gathers what comes at once',
  'src/certificates/make-certificate.ts': 'OpenSSL and clients judge by their own clocks what is made here',
  'src/rest/http-date.ts': 'years of two digits are of the century that it is',
  'src/maintenance/maintenance-thread.ts': 'a worker thread; it paces what it reads from the disk',
  'src/search/extract/extractor-process.ts': 'a process of its own; limits processor time',
  'src/search/extract/extractor.ts': 'runs in a worker thread',
  'src/search/indexer-loops.ts': 'runs in a worker thread',
  'src/search/postgres/indexer-thread.ts': 'a worker thread',
  'src/search/postgres/searcher.ts': 'runs in a worker thread',
  'src/telemetry/process-metrics.ts': 'measures',
};

test('what decides by time asks the clock, which tests can move', () => {
  const rooms = new Set(['runtime', 'cli', 'console', 'sdk']);
  const own =
    /\bDate\.now\b|(?<![.\w])set(Timeout|Interval)\(|import \{[^}]*\bset(Timeout|Interval)\b[^}]*\} from 'node:timers/;
  const users = sources.filter((path) => !rooms.has(roomOf(path)) && own.test(read(path)));
  assert.deepEqual(users.sort(), Object.keys(readsSystemTime).sort());
});

test('no file has a name that says nothing', () => {
  const bad = sources.filter((path) => /\/(index|utils?|helpers?|common|manager|service)\.ts$/.test(path));
  assert.deepEqual(bad, []);
});

test('no file is longer than 400 lines', () => {
  const isWritten = (path: string) => path !== 'sdk/src/description.ts' && !path.startsWith('sdk/dist/');
  const all = ['src', 'test', 'bench', 'sdk'].flatMap(listSources).filter(isWritten);
  assert.deepEqual(
    all.filter((path) => read(path).split('\n').length > 401),
    [],
  );
});

test('process.env is read in config.ts only', () => {
  assert.deepEqual(
    // What is set there is for the threads.
    sources.filter((path) =>
      read(path)
        .replaceAll(/process\.env\.\w+ = /g, '')
        .includes('process.env'),
    ),
    ['src/config/config.ts'],
  );
});

test('node:sqlite is known to the catalog, the search index and the lock of a data folder only', () => {
  const users = sources.filter((path) => read(path).includes("'node:sqlite'"));
  assert.ok(users.length > 0);
  assert.deepEqual(
    users.filter((path) => !['catalog', 'search'].includes(roomOf(path))),
    ['src/runtime/folder-lock.ts'],
  );
});

test('every file begins by saying what it answers for', () => {
  assert.deepEqual(
    sources.filter((path) => !read(path).startsWith('// ')),
    [],
  );
});

test('every refusal code is used, documented, and nothing else is documented', () => {
  const documented = [...read('docs/api.md').matchAll(/^\| `([A-Z][A-Za-z]+)` \| \d{3} \|/gm)].map(([, code]) => code);
  assert.deepEqual(documented.sort(), [...refusalCodes].sort());
  const code = sources
    .filter((path) => !/refusal\.ts$|http\/answer\.ts$/.test(path))
    .map(read)
    .join('\n');
  const unused = refusalCodes.filter(
    (name) => !code.includes(`'${name}'`) && !read('src/rest/answer.ts').includes(`Refusal('${name}'`),
  );
  assert.deepEqual(unused, []);
});

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

test('what the service loads is a runtime dependency', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  const imported = /^(?:import|export) (?!type )[^;]*?from '([^'.][^']*)'|\b(?:import|require)\('([^'.][^']*)'\)/gms;
  // The console is built beforehand.
  const wrong = sources
    .filter((path) => roomOf(path) !== 'console')
    .flatMap((path) => {
      const names = [...read(path).matchAll(imported)].map(([, still, later]) => (still ?? later) as string);
      const packages = names.filter((name) => !name.startsWith('node:'));
      const unknown = packages.filter(
        (name) => !Object.keys(dependencies).some((known) => `${name}/`.startsWith(`${known}/`)),
      );
      return unknown.map((name) => `${path} loads ${name}`);
    });
  assert.deepEqual(wrong, []);
});

test('every runtime dependency has its line in the decisions', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  const decided = read('docs/decisions/0002-dependencies.md');
  assert.deepEqual(
    Object.keys(dependencies).filter((name) => !decided.includes(`| \`${name}\` |`)),
    [],
  );
});
