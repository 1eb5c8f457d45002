// `cabinet import`: a directory is imported with its times, with and without a running service; what cannot be imported is
// reported; an interrupted import resumes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { askService } from '../../src/control/ask.ts';
import { assertAnswer, type Entry } from '../interface/assertions.ts';
import { type Caller, call, download, fetchToken, listFolder } from '../interface/client.ts';
import { sized } from '../size.ts';
import { cabinet, cabinetJson } from './here.ts';
import {
  addCaller,
  cabinetProgram,
  eventually,
  makeDataFolder,
  type Registered,
  removeDataFolder,
  type StartedWithClock,
  startService,
  toVariables,
} from './service.ts';

interface Report {
  Folders: number;
  Files: number;
  Bytes: number;
  Unchanged: number;
  SkippedCount: number;
  Skipped: { Path: string; Problem: string }[];
  Stopped?: string;
}

const dataFolder = makeDataFolder();
const directory = join(dataFolder, '../tree');
let service: StartedWithClock;
let caller: Caller;

/** The report, whatever the exit code, which must say whether all came in. */
async function importTree(words: string[], from = directory): Promise<Report> {
  const { code, stdout, stderr } = await cabinet(dataFolder, ['import', from, ...words, '--json']);
  const report = JSON.parse(stdout) as Report & { Error?: { Message: string } };
  assert.equal(report.Error, undefined, stderr);
  assert.equal(code, report.SkippedCount === 0 && report.Stopped === undefined ? 0 : 1);
  return report;
}

async function findAll(folder: string, path = ''): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>();
  for (const entry of await listFolder(caller, folder)) {
    found.set(`${path}/${entry.Name}`, entry);
    if (entry.Type === 'folder')
      for (const [name, child] of await findAll(entry.Id, `${path}/${entry.Name}`)) found.set(name, child);
  }
  return found;
}

async function find(path: string): Promise<Entry> {
  const answer = await call(caller, `/files?path=${encodeURIComponent(path)}`);
  return (assertAnswer(answer) as { Entry: Entry }).Entry;
}

async function countVersions(id: string): Promise<number> {
  return (assertAnswer(await call(caller, `/files/${id}/versions`)) as { Versions: unknown[] }).Versions.length;
}

const at = new Date('2019-05-05T05:05:05.123Z');
const toldEveryMs = 250;

function write(path: string, bytes: string | Buffer): void {
  const whole = join(directory, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, bytes);
  utimesSync(whole, at, at);
}

before(async () => {
  service = await startService(dataFolder, { hasClock: true });
  caller = await addCaller(dataFolder, service.production, 'app');
});
after(async () => {
  await service.stop();
  removeDataFolder(dataFolder);
});

describe('a tree', () => {
  const large = Buffer.alloc(3_000_000, 'large ');

  before(() => {
    write('a.txt', 'hello');
    write('Zoë/日本 😀.txt', 'x');
    write('Zoë/deep/large.bin', large);
    write('nothing', '');
    mkdirSync(join(directory, 'empty'));
    utimesSync(join(directory, 'empty'), at, at);
  });

  it('is imported with its bytes and times, in the name of the given actor', async () => {
    const report = await importTree(['--app', 'app', '--into', '/taken/here']);
    assert.deepEqual(report, {
      Folders: 5,
      Files: 4,
      Bytes: 5 + 1 + large.length,
      Unchanged: 0,
      SkippedCount: 0,
      Skipped: [],
    });
    const all = await findAll(caller.application.RootFolderId);
    const top = '/taken/here';
    const names = ['', '/Zoë', '/Zoë/deep', '/Zoë/deep/large.bin', '/Zoë/日本 😀.txt', '/a.txt', '/empty', '/nothing'];
    assert.deepEqual([...all.keys()].sort(), ['/taken', ...names.map((name) => top + name)].sort());
    for (const name of ['/Zoë/deep/large.bin', '/a.txt', '/empty']) {
      const entry = all.get(top + name);
      assert.equal(entry?.ModifiedAt, at.toISOString(), name);
      assert.ok(String(entry?.CreatedAt) <= at.toISOString());
      assert.equal(entry?.CreatedBy, 'app:app');
    }
    assert.ok((await download(caller, String(all.get(`${top}/Zoë/deep/large.bin`)?.Id))).equals(large));
    assert.equal(all.get(`${top}/a.txt`)?.ContentType, 'text/plain');
    const content = await call(caller, `/files/${all.get(`${top}/a.txt`)?.Id}/content`);
    assert.equal(content.headers['last-modified'], 'Sun, 05 May 2019 05:05:05 GMT');
  });

  it('is skipped when imported again, and nothing changes', async () => {
    const before = await findAll(caller.application.RootFolderId);
    const report = await importTree(['--app', 'app', '--into', '/taken/here']);
    assert.deepEqual([report.Folders, report.Files, report.Bytes, report.Unchanged], [0, 0, 0, 4]);
    assert.deepEqual(await findAll(caller.application.RootFolderId), before);
  });

  it('gets a new version where bytes differ, and none where only the time differs', async () => {
    write('a.txt', 'HELLO');
    const later = new Date('2020-01-01T00:00:00.000Z');
    utimesSync(join(directory, 'a.txt'), later, later);
    utimesSync(join(directory, 'Zoë/deep/large.bin'), later, later);
    write('new.txt', 'new');
    const report = await importTree(['--app', 'app', '--into', '/taken/here']);
    assert.deepEqual([report.Folders, report.Files, report.Bytes, report.Unchanged], [0, 2, 8, 3]);
    const changed = await find('/taken/here/a.txt');
    assert.equal(await countVersions(changed.Id), 2);
    assert.equal(changed.ModifiedAt, later.toISOString());
    assert.equal(changed.CreatedAt <= changed.ModifiedAt, true);
    assert.equal(await countVersions((await find('/taken/here/Zoë/deep/large.bin')).Id), 1);
  });

  it('is imported as the operator too, and while no service runs', async () => {
    await service.stop();
    const report = await importTree(['--space', 'app', '--into', '/by operator']);
    await restart();
    assert.deepEqual([report.Folders, report.Files], [4, 5]);
    assert.equal((await find('/by operator/a.txt')).CreatedBy, 'operator');
  });
});

/** On another port, and so with another issuer. */
async function restart(): Promise<void> {
  service = await startService(dataFolder, { hasClock: true });
  const { application } = caller;
  caller = { base: service.production, application, token: await fetchToken(service.production, application) };
}

describe('what cannot be imported', () => {
  const odd = join(dataFolder, '../odd');

  it('is reported, and the rest is imported', async () => {
    mkdirSync(join(odd, 'sub'), { recursive: true });
    writeFileSync(join(odd, 'good.txt'), 'good');
    symlinkSync('good.txt', join(odd, 'link'));
    symlinkSync('/etc', join(odd, 'directory link'));
    symlinkSync('nowhere', join(odd, 'sub/broken link'));
    writeFileSync(join(odd, 'two\nlines'), 'x');
    writeFileSync(join(odd, ' space'), 'x');
    writeFileSync(join(odd, 'back\\slash'), 'x');
    writeFileSync(Buffer.concat([Buffer.from(`${odd}/`), Buffer.from([0x66, 0xff, 0xfe])]), 'x');
    // The same name for us, two for most file systems.
    writeFileSync(join(odd, 'caf\u00e9'), '1');
    writeFileSync(join(odd, 'cafe\u0301'), '2');
    const report = await importTree(['--app', 'app', '--into', '/odd'], odd);
    const problems = Object.fromEntries(report.Skipped.map(({ Path, Problem }) => [Path, Problem]));
    assert.equal(problems['/link'], 'It is a symbolic link.');
    assert.equal(problems['/directory link'], 'It is a symbolic link.');
    assert.equal(problems['/sub/broken link'], 'It is a symbolic link.');
    assert.match(String(problems['/two\nlines']), /U\+000A/);
    assert.match(String(problems['/ space']), /white space/);
    assert.match(String(problems['/back\\slash']), /cannot contain "\\"/);
    assert.match(String(problems['/f\ufffd\ufffd']), /UTF-8/);
    const twins = report.Skipped.filter(({ Path }) => Path.normalize('NFC') === '/caf\u00e9');
    assert.equal(twins.length, 1);
    assert.equal(report.SkippedCount, report.Skipped.length);
    assert.equal(report.SkippedCount, 8);
    assert.equal(report.Files, 2);
    const taken = [...(await findAll(caller.application.RootFolderId)).keys()].filter((path) =>
      path.startsWith('/odd/'),
    );
    assert.deepEqual(
      taken.map((path) => path.normalize('NFC')).sort(),
      ['/odd/caf\u00e9', '/odd/good.txt', '/odd/sub'].sort(),
    );
  });

  it('is reported without control characters for the terminal', async () => {
    const { code, stdout } = await cabinet(dataFolder, ['import', odd, '--app', 'app', '--into', '/odd']);
    assert.equal(code, 1);
    assert.match(stdout, /skipped \/two\\u\{a\}lines: /);
    assert.match(stdout, /0 folders created, 0 files \(0 B\) imported, 2 unchanged, 8 skipped\n$/);
  });

  it('is a tree below a name that a file has, and a file whose name a folder has', async () => {
    const clash = join(dataFolder, '../clash');
    mkdirSync(join(clash, 'good.txt'), { recursive: true });
    writeFileSync(join(clash, 'good.txt/inside'), 'x');
    writeFileSync(join(clash, 'sub'), 'x');
    const report = await importTree(['--app', 'app', '--into', '/odd'], clash);
    assert.deepEqual(report.Skipped.map(({ Path }) => Path).sort(), ['/good.txt', '/sub']);
    assert.equal(report.Files + report.Folders, 0);
  });

  it('is the data folder of the service', async () => {
    const report = await importTree(['--app', 'app', '--into', '/around'], join(dataFolder, '..'));
    const { Path, Problem } = report.Skipped.find((skipped) => skipped.Path === '/data') ?? {};
    assert.deepEqual([Path, Problem], ['/data', 'It is where the service keeps its data.']);
    const taken = [...(await findAll(caller.application.RootFolderId)).keys()];
    assert.ok(taken.includes('/around/odd/good.txt'));
    assert.ok(!taken.some((path) => path.startsWith('/around/data')));
  });
});

describe('an invalid command', () => {
  const refusals: [name: string, input: Record<string, string>, says: RegExp][] = [
    ['without a place', {}, /either an application .* or a space/],
    ['with two places', { app: 'app', space: 'app' }, /either an application .* or a space/],
    ['with an unknown application', { app: 'nobody' }, /No active application/],
    ['with an unknown space', { space: 'nowhere' }, /There is no space/],
    ['with a path that leads up', { app: 'app', into: '/../a' }, /means a place in a path/],
    ['with a path that does not begin at the root', { app: 'app', into: 'a' }, /must begin with/],
    ['with a path through a file', { app: 'app', into: '/odd/good.txt/a' }, /a folder is needed/],
    ['with the other environment, which is off', { app: 'app', env: 'test' }, /switched off/],
    ['with a directory that depends on where one stands', { app: 'app', directory: '.' }, /not a directory/],
  ];
  for (const [name, input, says] of refusals) {
    it(`is refused: ${name}`, async () => {
      const command = { name: 'import', input: { directory, ...input } };
      await assert.rejects(askService({ dataFolder } as Config, command), says);
    });
  }

  it('is refused for a path that is not a directory, and for an application that may not write', async () => {
    for (const path of [join(directory, 'a.txt'), join(directory, 'missing')]) {
      const { code, stderr } = await cabinet(dataFolder, ['import', path, '--app', 'app']);
      assert.equal(code, 1);
      assert.match(stderr, /director/);
    }
    await cabinetJson<Registered>(dataFolder, ['app', 'add', 'reader', '--space', 'app', '--scopes', 'content.read']);
    const { code, stdout } = await cabinet(dataFolder, ['import', directory, '--app', 'reader', '--json']);
    assert.equal(code, 1);
    assert.match(stdout, /content\.write/);
  });
});

describe('thousands of files', () => {
  const many = join(dataFolder, '../many');
  const count = sized(1000, 5000);
  const mostTries = 20;
  let tries = 0;

  before(() => {
    for (let index = 0; index < count; index += 1) {
      const folder = join(many, `d${index % 20}`);
      if (index < 20) mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${index}.txt`), `file ${index}`.repeat(1 + (index % 50)));
    }
  });

  async function listTaken(into: string): Promise<Map<string, Entry>> {
    const all = await findAll(caller.application.RootFolderId);
    return new Map([...all].filter(([path, { Type }]) => path.startsWith(`${into}/`) && Type === 'file'));
  }

  /** Imports into one folder after the other until one was broken off in its middle: it may be done before it hears of it. */
  async function untilBroken<Result>(
    breakOff: (into: string) => Promise<Result | null>,
  ): Promise<{ into: string; result: Result }> {
    for (let tried = 0; tried < mostTries; tried += 1) {
      tries += 1;
      const into = `/many ${tries}`;
      const result = await breakOff(into);
      if (result !== null) return { into, result };
    }
    throw new Error(`${mostTries} imports were done before they were broken off`);
  }

  /** Through the socket itself, as the command does it; `act` is called with how many files were taken, once there are some. The clock
   *  is moved so that this is reported at once. */
  async function ask(into: string, act: (files: number) => void, signal?: AbortSignal): Promise<Report> {
    let hasActed = false;
    const progress = ({ Files = 0 }: { Files?: number }) => {
      if (Files === 0 || hasActed) return;
      hasActed = true;
      act(Files);
    };
    const imported = askService(
      { dataFolder } as Config,
      { name: 'import', input: { directory: many, app: 'app', into } },
      { progress, signal: signal ?? new AbortController().signal },
    );
    const ended = imported.then(
      () => true,
      () => true,
    );
    for (let isOver = false; !isOver && !hasActed; ) {
      isOver = await Promise.race([ended, service.advance(toldEveryMs).then(() => false)]);
    }
    return (await imported) as Report;
  }

  it('stop when the client disconnects', async () => {
    const { into, result: report } = await untilBroken(async (into) => {
      const breaking = new AbortController();
      const answer = await ask(into, () => breaking.abort(), breaking.signal);
      return answer.Stopped === undefined ? null : answer;
    });
    assert.equal(report.Stopped, 'It was broken off.');
    assert.ok(report.Files > 0 && report.Files < count, `${report.Files} files`);
    assert.equal((await listTaken(into)).size, report.Files);
  });

  it('resume after the service was killed, each file exactly once', async () => {
    const { into, result: taken } = await untilBroken(async (into) => {
      let reported = 0;
      const isCut = await ask(into, (files) => {
        reported = files;
        service.process.kill('SIGKILL');
      }).then(
        () => false,
        (error) => /closed the connection/.test(String(error)),
      );
      await service.stop('SIGKILL');
      await restart();
      const { size } = await listTaken(into);
      assert.ok(size >= reported, `${size} files are there, ${reported} were reported`);
      return isCut && size < count ? size : null;
    });
    const report = await importTree(['--app', 'app', '--into', into], many);
    assert.deepEqual([report.Files, report.Unchanged, report.SkippedCount], [count - taken, taken, 0]);
    const files = await listTaken(into);
    assert.equal(files.size, count);
    for (const index of [0, 234, count - 1]) {
      const { Id } = files.get(`${into}/d${index % 20}/${index}.txt`) as Entry;
      assert.equal((await download(caller, Id)).toString(), `file ${index}`.repeat(1 + (index % 50)));
      assert.equal(await countVersions(Id), 1);
    }
  });

  /** What it printed, and its exit code. */
  async function interrupt(into: string): Promise<{ report: Report; code: number }> {
    const words = ['import', many, '--app', 'app', '--into', into, '--json'];
    const child = spawn(cabinetProgram, words, { env: toVariables(dataFolder), stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    const closed = once(child, 'close') as Promise<[number]>;
    const path = encodeURIComponent(`${into}/d0`);
    await eventually('it has begun', async () => (await call(caller, `/folders?path=${path}`)).status === 200);
    child.kill('SIGINT');
    const [code] = await closed;
    return { report: JSON.parse(printed) as Report, code };
  }

  it('stop at Ctrl-C with a report, and everything imported so far is there', async () => {
    const { into, result } = await untilBroken(async (into) => {
      const ended = await interrupt(into);
      return ended.report.Stopped === undefined ? null : ended;
    });
    const { report, code } = result;
    assert.equal(code, 1);
    assert.equal(report.Stopped, 'It was broken off.');
    assert.ok(report.Files < count);
    const again = await importTree(['--app', 'app', '--into', into], many);
    assert.deepEqual([again.Files, again.Unchanged], [count - report.Files, report.Files]);
  });
});
