// Holds the house together: who may import whom, and what is not to be found in it.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import type { parseSync } from 'vite';
import { refusalCodes } from '../src/domain/refusal.ts';

const root = resolve(import.meta.dirname, '..');

/** What each room may import beside itself, `domain` and `runtime`. `src` is `main.ts`. `sdk` and `console` are packages of their
 *  own beside `src`: they do not even know `domain`. */
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
  previews: [],
  thumbnails: [],
  operations: ['catalog', 'blobs', 'search', 'previews', 'thumbnails', 'archive'],
  auth: ['catalog', 'certificates'],
  config: ['auth', 'blobs', 'certificates'],
  listener: ['auth', 'certificates', 'telemetry'],
  rest: ['listener', 'operations', 'auth', 'catalog', 'certificates', 'archive', 'telemetry'],
  webdav: ['rest', 'listener', 'operations', 'auth', 'catalog', 'telemetry'],
  mcp: ['rest', 'listener', 'operations', 'auth', 'catalog'],
  jobs: ['operations', 'catalog', 'blobs', 'telemetry'],
  maintenance: ['operations', 'catalog', 'blobs', 'auth', 'server', 'config'],
  control: ['operations', 'catalog', 'certificates', 'maintenance', 'server', 'config'],
  cli: [
    ...['sdk', 'console', 'config', 'operations', 'auth', 'catalog'],
    ...['maintenance', 'control', 'server', 'src'],
  ],
  server: [
    ...['config', 'operations', 'jobs', 'catalog', 'blobs', 'search', 'previews', 'thumbnails', 'auth', 'certificates'],
    ...['listener', 'rest', 'webdav', 'mcp', 'telemetry', 'maintenance'],
  ],
  src: ['config', 'server', 'jobs', 'operations', 'auth', 'control', 'telemetry'],
};

/** Rooms of which another may know the types only. */
const typesOnly: Record<string, readonly string[]> = {
  telemetry: ['catalog', 'blobs'],
  operations: ['catalog', 'search'],
  auth: ['catalog', 'certificates'],
  listener: ['auth'],
  rest: ['catalog'],
  webdav: ['catalog'],
  mcp: ['catalog'],
  control: ['catalog', 'server', 'config'],
};

/** Rooms that answer requests. */
const answering = ['listener', 'rest', 'webdav', 'mcp', 'auth'];

function listSources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

const sources = ['src', 'sdk/src', 'console']
  .flatMap(listSources)
  .filter((path) => !/(\.test|-for-tests)\.ts$|node_modules/.test(path));

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The packages beside `src`, each in the folder of its room, and the files that they export. */
const packages = new Map<string, string>();
for (const room of ['sdk', 'console']) {
  const { name, exports } = JSON.parse(read(`${room}/package.json`)) as PackageJson;
  for (const [path, file] of Object.entries(exports)) packages.set(join(name, path), join(room, file));
}

interface PackageJson {
  name: string;
  exports: Record<string, string>;
}

function packageOf(path: string): string {
  const [folder = ''] = path.split('/');
  return folder === 'sdk' || folder === 'console' ? folder : 'cabinet';
}

function roomOf(path: string): string {
  if (packageOf(path) !== 'cabinet') return packageOf(path);
  const [, room, ...rest] = path.split('/');
  return rest.length === 0 ? 'src' : (room ?? 'src');
}

function toFile(importer: string, name: string): string {
  return packages.get(name) ?? relative(root, resolve(root, dirname(importer), name));
}

function importsOf(path: string): { target: string; isType: boolean }[] {
  const found = read(path).matchAll(/^(?:import|export) (type )?[^;]*?from '((?:\.|@cabinet\/)[^']+)'/gms);
  return [...found].map(([, type, name = '']) => ({ target: toFile(path, name), isType: type !== undefined }));
}

test('every room imports only what it may', () => {
  const wrong: string[] = [];
  for (const path of sources) {
    const room = roomOf(path);
    for (const { target, isType } of importsOf(path)) {
      const other = roomOf(target);
      const isForAll =
        packageOf(room) === 'cabinet' && (other === 'domain' || (other === 'runtime' && room !== 'domain'));
      if (other === room || isForAll) continue;
      const isAllowed = mayImport[room]?.includes(other) ?? false;
      const needsType = typesOnly[room]?.includes(other) ?? false;
      if (!isAllowed || (needsType && !isType)) wrong.push(`${path} imports ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('packages import each other by name, and only what is exported', () => {
  const own = ['src', 'console', 'sdk', 'test', 'bench', 'examples'].flatMap(listSources);
  // The tests and the generator of the client start the service, and read its routes.
  const isTool = (path: string) => path.startsWith('sdk/') && !path.startsWith('sdk/src/');
  const wrong = own
    .filter((path) => !/node_modules|\/dist\//.test(path))
    .flatMap((path) =>
      [...read(path).matchAll(/(?:from|\bimport\() ?'([^']+)'/g)].map(([, name = '']) => ({ path, name })),
    )
    .filter(({ path, name }) => {
      if (name.startsWith('@cabinet/')) return !packages.has(name);
      const other = name.startsWith('.') ? packageOf(toFile(path, name)) : packageOf(path);
      return other !== packageOf(path) && !(isTool(path) && other === 'cabinet');
    });
  assert.deepEqual(wrong, []);
});

test('what answers requests cannot reach what asks nobody for permission', () => {
  const wrong = sources
    .filter((path) => answering.includes(roomOf(path)))
    .flatMap((path) => importsOf(path).map(({ target, isType }) => ({ path, target, isType })))
    .filter(({ target, isType }) => !isType && target.startsWith('src/operations/admin/'));
  assert.deepEqual(wrong, []);
});

/** With types, and with what is loaded later. */
function everyImportOf(path: string): string[] {
  const later = [...read(path).matchAll(/\bimport\('(\.[^']+)'\)/g)].map(([, name = '']) => toFile(path, name));
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
  for (const name of asking) load(`src/cli/operator/${name}.ts`);
  const names = [...loaded].flatMap((path) => [...read(path).matchAll(/^import (?!type ).* from '([^.'][^']*)'/gm)]);
  const foreign = names.map(([, name]) => name).filter((name) => !name?.startsWith('node:'));
  assert.deepEqual(foreign, []);
  assert.ok(loaded.has('src/control/ask.ts'));
  assert.ok(loaded.size < 40, `${loaded.size} files are loaded`);
});

test('the import rules speak of every room, and of none that is gone', () => {
  const rooms = new Set(sources.map(roomOf));
  assert.deepEqual([...rooms].sort(), Object.keys(mayImport).sort());
});

/** Which files have the system's time and timers all the same, beside the rooms of programs that are no service, and why. */
const readsSystemTime: Record<string, string> = {
  'src/catalog/commits.ts':
    '`Atomics.waitAsync` has a time limit of its own; the rest after it gathers what comes at once',
  'src/catalog/sqlite/write-queue.ts':
    'a few milliseconds gather writes for one commit; a clock that stands still would hold them',
  'src/certificates/make-certificate.ts': 'OpenSSL and clients judge by their own clocks what is made here',
  'src/previews/converter.ts': 'limits a process of another program',
  'src/rest/downloads/http-date.ts': 'years of two digits are of the century that it is',
  'src/maintenance/maintenance-thread.ts': 'a worker thread; it paces what it reads from the disk',
  'src/search/extract/extractor-process.ts': 'a process of its own; limits processor time',
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

/** Which files sync beside the durable files of `runtime`, and why. */
const syncs: Record<string, string> = {
  'src/runtime/durable-file.ts': 'the primitive, with the rule for failures',
  'src/server/disk-check.ts': 'measures how long a sync takes, to find disks that only pretend',
};

test('files are synced in one place, which has the rule for failures', () => {
  const own =
    /\.(data)?sync\(|\bf(data)?sync(Sync)?\(|import \{[^}]*\bf(data)?sync(Sync)?\b[^}]*\} from 'node:fs|\bflush: true\b|\bO_D?SYNC\b/;
  const users = sources.filter((path) => roomOf(path) !== 'console' && own.test(read(path)));
  assert.deepEqual(users.sort(), Object.keys(syncs).sort());
});

test('no file has a name that says nothing', () => {
  const bad = sources.filter((path) => /\/(index|utils?|helpers?|common|manager|service)\.ts$/.test(path));
  assert.deepEqual(bad, []);
});

test('no file is longer than 400 lines', () => {
  const isWritten = (path: string) => path !== 'sdk/src/description.ts' && !/node_modules|^sdk\/dist\//.test(path);
  const all = ['src', 'console', 'test', 'bench', 'sdk'].flatMap(listSources).filter(isWritten);
  assert.deepEqual(
    all.filter((path) => read(path).split('\n').length > 401),
    [],
  );
});

/** Functions of all kinds, React components among them: declarations, arrow functions, methods. */
function listFunctions(path: string, parse: typeof parseSync): { name: string; lines: number }[] {
  const text = read(path);
  const found: { name: string; lines: number }[] = [];
  const visit = (node: unknown, outer: string): void => {
    if (node === null || typeof node !== 'object') return;
    const { type, start, end, id, key } = node as Partial<FunctionNode>;
    const name = id?.name ?? key?.name ?? outer;
    if (type !== undefined && /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type)) {
      found.push({ name, lines: text.slice(start, end).split('\n').length });
    }
    for (const inner of Object.values(node)) visit(inner, name);
  };
  visit(parse(path, text).program.body, '');
  return found;
}

interface FunctionNode {
  type: string;
  start: number;
  end: number;
  id: { name?: string } | null;
  key: { name?: string };
}

test('no function is longer than 70 lines', async () => {
  const { parseSync } = await import('vite');
  // Suites in `test` and `bench` are excluded: their outermost functions hold whole series of tests.
  const all = ['src', 'sdk', 'console'].flatMap(listSources).filter((path) => !/node_modules|^sdk\/dist\//.test(path));
  const long = all.flatMap((path) =>
    listFunctions(path, parseSync)
      .filter(({ lines }) => lines > 70)
      .map(({ name, lines }) => `${path}: ${name} has ${lines} lines`),
  );
  assert.deepEqual(long, []);
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

test('only the gate for removal deletes entries, versions and contents, or gives a tree to the purge', () => {
  const gate = 'src/catalog/verbs/removal.ts';
  const removing = /\bDELETE FROM (entries|versions|contents)\b|\bSET purpose\b|[(,] ?'purge',/;
  assert.match(read(gate), removing);
  const others = sources.filter((path) => path.startsWith('src/') && path !== gate && removing.test(read(path)));
  assert.deepEqual(others, []);
});

test('the catalog never rewrites the text of a statement', () => {
  const rewriting = sources.filter((path) => path.startsWith('src/catalog/') && /\.replace(All)?\(/.test(read(path)));
  assert.deepEqual(rewriting, []);
});

test('every file begins by saying what it answers for', () => {
  assert.deepEqual(
    sources.filter((path) => !read(path).startsWith('// ')),
    [],
  );
});

test('every refusal code is used, documented, and nothing else is documented', () => {
  const documented = [...read('docs/api/errors.md').matchAll(/^\| `([A-Z][A-Za-z]+)` \| \d{3} \|/gm)].map(
    ([, code]) => code,
  );
  assert.deepEqual(documented.sort(), [...refusalCodes].sort());
  const code = sources
    .filter((path) => !/refusal\.ts$/.test(path))
    .map(read)
    .join('\n');
  const unused = refusalCodes.filter(
    (name) => !code.includes(`'${name}'`) && !read('src/rest/answer.ts').includes(`Refusal('${name}'`),
  );
  assert.deepEqual(unused, []);
});

interface Dependencies {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** What each package may load. The console is built beforehand; where the service runs, nothing of what it needs is installed. */
function dependenciesOf(name: string): string[] {
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
    read(join(name, 'package.json')),
  ) as Dependencies;
  // The Node that the service runs on is no library.
  const optional = Object.keys(optionalDependencies ?? {}).filter((one) => !one.startsWith('node-'));
  return [...optional, ...Object.keys({ ...dependencies, ...(name === 'console' && devDependencies) })];
}

test('what a package loads is among its dependencies', () => {
  const imported = /^(?:import|export) (?!type )[^;]*?from '([^'.][^']*)'|\b(?:import|require)\('([^'.][^']*)'\)/gms;
  const wrong = sources.flatMap((path) => {
    const known = dependenciesOf(packageOf(path).replace('cabinet', '.'));
    const names = [...read(path).matchAll(imported)].map(([, still, later]) => (still ?? later) as string);
    const unknown = names
      .filter((name) => !name.startsWith('node:'))
      .filter((name) => !known.some((one) => `${name}/`.startsWith(`${one}/`)));
    return unknown.map((name) => `${path} loads ${name}`);
  });
  assert.deepEqual(wrong, []);
});

test('every runtime dependency has its line in the decisions', () => {
  const decided = read('docs/decisions/0002-dependencies.md');
  assert.deepEqual(
    dependenciesOf('.').filter((name) => !name.startsWith('@cabinet/') && !decided.includes(`| \`${name}\` |`)),
    [],
  );
});

test('every file that ARCHITECTURE.md and CONTRIBUTING.md name exists, and the glossary is short', () => {
  for (const page of ['ARCHITECTURE.md', 'CONTRIBUTING.md']) {
    const paths = [...read(page).matchAll(/`((?:[\w.-]+\/)+[\w-]+(?:\.[\w-]+)*\.(?:ts|tsx|md|json))`/g)].map(
      ([, path]) => path,
    );
    assert.ok(paths.length > 5, page);
    const missing = paths.filter((path) => !['', 'src'].some((folder) => existsSync(join(root, folder, path ?? ''))));
    assert.deepEqual(missing, [], page);
  }
  const glossary = /## Glossary\n(.*?)\n## /s.exec(read('ARCHITECTURE.md'))?.[1] ?? '';
  const terms = glossary.match(/^\| \*\*/gm) ?? [];
  assert.ok(terms.length > 10 && terms.length <= 25, `${terms.length} terms`);
});
