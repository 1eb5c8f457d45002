// Somebody who can change the database rewrites history: rows are edited, removed and added, and all links are computed again as far
// as that is possible without the keys. `audit verify` must find each.

import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openJournalFiles } from '../../src/catalog/journal-files.ts';
import { openJournalKeys } from '../../src/catalog/journal-keys.ts';
import { openSqliteTables } from '../../src/catalog/sqlite/tables.ts';
import { type JournalSlice, listJournal } from '../../src/catalog/verbs/journal.ts';
import { readConfig } from '../../src/config/config.ts';
import { type JournalKey, keyOfLink, toLink } from '../../src/domain/chain.ts';
import { toSignedLine } from '../../src/domain/signed-head.ts';
import { readAnchoredHeads } from '../../src/operations/admin/anchored-heads.ts';
import { type Problem, verifyJournal } from '../../src/operations/admin/verify-journal.ts';
import { localLines } from '../../src/runtime/line-log.ts';
import { localFiles } from '../../src/runtime/local-file-store.ts';
import { createFolder } from '../interface/client.ts';
import { cabinet, cabinetJson } from '../service/here.ts';
import { seal } from '../service/sealer.ts';
import { addCaller, eventually, makeDataFolder, removeDataFolder, toVariables } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { tally } from './tally.ts';

interface Row {
  position: number;
  at: number;
  space: number;
  by: string;
  action: string;
  entry: string;
  request: string;
  details: string;
  link: string;
}
interface Verified {
  /** In the anchor. */
  heads: number;
  problems: Problem[];
}

const dataFolder = makeDataFolder();
const base = dirname(dataFolder);
const pristine = join(base, 'pristine');
const anchor = join(base, 'anchor.jsonl');
const pristineAnchor = join(base, 'pristine.jsonl');
const environment = { CABINET_AUDIT_ANCHOR: anchor };
const hourMs = 60 * 60 * 1000;
/** Somebody may know the id of the key, which is in every link. */
let guessed: JournalKey;

before(async () => {
  const service = await startServiceHere(dataFolder, { environment, hasClock: true });
  const caller = await addCaller(dataFolder, service.production, 'app');
  for (const name of ['a', 'b', 'c']) await createFolder(caller, '-root-', name);
  await service.advance(hourMs);
  await eventually(
    'the head is signed',
    () => existsSync(anchor) && readFileSync(anchor, 'utf8').includes('production'),
  );
  for (const name of ['d', 'e', 'f']) await createFolder(caller, '-root-', name);
  await service.stop();
  cpSync(dataFolder, pristine, { recursive: true });
  cpSync(anchor, pristineAnchor);
  guessed = { id: String(keyOfLink(readRows().at(-1)?.link ?? '')), secret: 'x'.repeat(43) };
});

after(() => removeDataFolder(dataFolder));

function begin(): Row[] {
  rmSync(dataFolder, { recursive: true });
  cpSync(pristine, dataFolder, { recursive: true });
  cpSync(pristineAnchor, anchor);
  return readRows();
}

function inDatabase<Result>(use: (database: DatabaseSync) => Result, folder = dataFolder): Result {
  const database = new DatabaseSync(join(folder, 'production', 'catalog.db'));
  try {
    return use(database);
  } finally {
    database.close();
  }
}

function readRows(folder = dataFolder): Row[] {
  const sql = 'SELECT * FROM journal ORDER BY position';
  return inDatabase((database) => database.prepare(sql).all() as unknown as Row[], folder);
}

function writeRows(rows: readonly Row[], folder = dataFolder): void {
  inDatabase((database) => {
    database.exec('DELETE FROM journal');
    const insert = database.prepare('INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    for (const row of rows) insert.run(...Object.values(row as unknown as Record<string, string | number>));
  }, folder);
}

/** Computes the links again from a position on. */
function relink(rows: Row[], from: number, key: JournalKey | null): Row[] {
  for (const [index, row] of rows.entries()) {
    if (row.position >= from) row.link = toLink(rows[index - 1]?.link ?? '', row.position, row, key);
  }
  return rows;
}

/** As `audit verify` does, without the time that opening an environment takes. */
async function verify({ isAnchored = true, folder = dataFolder } = {}): Promise<Verified> {
  const production = join(folder, 'production');
  const tables = openSqliteTables(join(production, 'catalog.db'), 'source');
  assert.ok(tables !== null);
  try {
    const journalKeys = openJournalKeys(localFiles(join(production, 'journal-keys')));
    const journalAnchor = { lines: isAnchored ? localLines(anchor) : null, anchoredPosition: 0 };
    const anchored = await readAnchoredHeads({ journalAnchor, journalKeys }, 'production', false);
    const catalog = { listJournal: (slice: JournalSlice) => tables.read(listJournal(slice)) };
    const journalFiles = openJournalFiles(localFiles(join(production, 'journal')));
    const { problems } = await verifyJournal({ catalog, journalFiles, journalKeys }, anchored?.heads ?? []);
    return { heads: anchored?.heads.length ?? 0, problems: [...(anchored?.problems ?? []), ...problems] };
  } finally {
    await tables.close();
  }
}

async function assertFound(problem: RegExp, isAnchored = true): Promise<void> {
  const { problems } = await verify({ isAnchored });
  assert.ok(
    problems.some((found) => problem.test(found.problem)),
    JSON.stringify(problems),
  );
  tally('rewritten journals');
}

const edited = (row: Row): Row => ({ ...row, by: 'user:somebody-else' });

describe('rows that are edited', () => {
  it('are found although all links after them are computed again, without a key or with a guessed one', async () => {
    for (const key of [null, guessed, { ...guessed, id: '00000000' }]) {
      const rows = begin();
      const at = rows.length - 4;
      rows[at] = edited(rows[at] as Row);
      writeRows(relink(rows, at + 1, key));
      await assertFound(
        key === null ? /no key all of a sudden/ : key === guessed ? /was edited/ : /which is not there/,
        false,
      );
    }
  });

  it('are found although the whole chain is computed as earlier releases did', async () => {
    const rows = begin();
    rows[2] = edited(rows[2] as Row);
    writeRows(relink(rows, 1, null));
    await assertFound(/ends without a key/, false);
    // Opening the catalog lets the key take over, but not from these rows.
    const { code, stdout } = await cabinet(dataFolder, ['audit', 'verify']);
    assert.equal(code, 1);
    assert.match(stdout, /all of a sudden/);
  });

  it('are found in archived parts', async () => {
    begin();
    await seal(readConfig(toVariables(dataFolder)), { positions: 4, killedAtStep: 0 });
    const path = join(dataFolder, 'production', 'journal', '5-8.jsonl.gz');
    const lines = gunzipSync(readFileSync(path)).toString().trimEnd().split('\n');
    const first = JSON.parse(lines[0] as string) as unknown[];
    first[3] = 'user:somebody-else';
    writeFileSync(path, gzipSync(`${[JSON.stringify(first), ...lines.slice(1)].join('\n')}\n`));
    await assertFound(/was edited/, false);
  });

  it('are found in a row that is added without a key', async () => {
    const rows = begin();
    const last = rows.at(-1) as Row;
    writeRows(relink([...rows, { ...last, position: last.position + 1 }], last.position + 1, null));
    await assertFound(/no key all of a sudden/, false);
  });
});

describe('heads that are kept elsewhere', () => {
  it('are signed every hour and when the service stops', async () => {
    begin();
    assert.deepEqual((await verify()).problems, []);
    const { Verified, Anchored } = await cabinetJson<{ Verified: boolean; Anchored: { Heads: number } }>(
      dataFolder,
      ['audit', 'verify'],
      environment,
    );
    assert.ok(Verified);
    const heads = readFileSync(anchor, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const ofProduction = heads.filter(({ Environment }) => Environment === 'production');
    assert.equal(Anchored.Heads, ofProduction.length);
    assert.ok(ofProduction.length >= 2);
    assert.equal(ofProduction.at(-1).Position, readRows().length, 'the one at the end');
  });

  it('show a tail that was cut off', async () => {
    const rows = begin();
    writeRows(rows.slice(0, -1));
    assert.deepEqual((await verify({ isAnchored: false })).problems, [], 'which nothing else shows');
    await assertFound(/the expected row is not there/);
  });

  it('show a row that the owner of the keys wrote anew', async () => {
    const rows = begin();
    const [key] = await openJournalKeys(localFiles(join(dataFolder, 'production', 'journal-keys'))).list();
    rows[1] = edited(rows[1] as Row);
    writeRows(relink(rows, 2, key as JournalKey));
    assert.deepEqual((await verify({ isAnchored: false })).problems, [], 'which nothing else shows');
    await assertFound(/the link is not the expected one/);
  });

  it('cannot be forged', async () => {
    const rows = begin();
    const { position, link } = rows[3] as Row;
    const head = { environment: 'production', at: new Date().toISOString(), position, link };
    const { privateKey } = generateKeyPairSync('ed25519');
    const own = JSON.parse(toSignedLine(head, guessed));
    const forged: [object, RegExp][] = [
      [own, /signature of a head/],
      [{ ...own, Signature: sign(null, Buffer.from('x'), privateKey).toString('base64') }, /signature of a head/],
      [{ ...own, Key: '00000000' }, /which is not there/],
      [{ ...own, Position: 'x' }, /signature of a head/],
    ];
    for (const [line, problem] of forged) {
      cpSync(pristineAnchor, anchor);
      writeFileSync(anchor, `${JSON.stringify(line)}\n`, { flag: 'a' });
      await assertFound(problem);
    }
    writeFileSync(anchor, '{"Environment":\n', { flag: 'a' });
    await assertFound(/cannot be read/);
  });

  it('go on behind a line that a crash has cut', async () => {
    begin();
    writeFileSync(anchor, readFileSync(anchor, 'utf8').trimEnd());
    const service = await startServiceHere(dataFolder, { environment });
    await createFolder(await addCaller(dataFolder, service.production, 'later'), '-root-', 'g');
    await service.stop();
    assert.deepEqual((await verify()).problems, []);
  });
});

describe('keys', () => {
  it('are readable by the owner only, and not in the database', () => {
    begin();
    const folder = join(dataFolder, 'production', 'journal-keys');
    const [name] = readdirSync(folder);
    const { Secret } = JSON.parse(readFileSync(join(folder, String(name)), 'utf8')) as { Secret: string };
    assert.ok(!readFileSync(join(dataFolder, 'production', 'catalog.db')).includes(Secret));
  });

  it('rotate: the change is in the chain, and what was before stays verified', async () => {
    begin();
    await cabinetJson(dataFolder, ['keys', 'rotate']);
    const rows = readRows();
    const last = rows.at(-1) as Row;
    assert.equal(last.action, 'journal.keyed');
    assert.deepEqual(JSON.parse(last.details), { key: keyOfLink(last.link), before: guessed.id });
    assert.deepEqual((await verify()).problems, []);
    rows[3] = edited(rows[3] as Row);
    writeRows(rows);
    await assertFound(/was edited/, false);
    // The change of keys cannot be left out.
    writeRows([...begin().slice(0, -1), { ...last, position: last.position - 1, action: 'folder.created' }]);
    await assertFound(/which is not there|was edited/, false);
  });

  it('go into a backup, so that the chain is verified in a restored folder', async () => {
    begin();
    const backup = join(base, 'backup');
    await cabinetJson(dataFolder, ['backup', backup]);
    const restored = join(base, 'restored');
    await cabinetJson(restored, ['restore', backup]);
    assert.deepEqual((await verify({ folder: restored })).problems, []);
  });
});

describe('a journal of an earlier release', () => {
  it('gets a key at the start, in a row of the chain, and stays verified', async () => {
    const old = join(base, 'old');
    cpSync(join(import.meta.dirname, '../data-folders/0.1.0/data'), old, { recursive: true });
    assert.ok(!existsSync(join(old, 'production', 'journal-keys')));
    const before = readRows(old);
    assert.equal(keyOfLink(before.at(-1)?.link ?? ''), null);
    await (await startServiceHere(old)).stop();
    const rows = readRows(old);
    assert.deepEqual(rows.slice(0, before.length), before);
    const change = rows[before.length] as Row;
    assert.deepEqual([change.action, JSON.parse(change.details).before], ['journal.keyed', null]);
    assert.deepEqual((await verify({ isAnchored: false, folder: old })).problems, []);

    rows[1] = edited(rows[1] as Row);
    for (const row of rows.slice(1, before.length)) {
      row.link = toLink(rows[row.position - 2]?.link ?? '', row.position, row, null);
    }
    writeRows(rows, old);
    const { problems } = await verify({ isAnchored: false, folder: old });
    assert.equal(problems[0]?.position, change.position, 'the first row with a key holds those before');
    tally('rewritten journals');
  });
});
