// Export and erasure know every column that can name a person. A column that is new fails here until `personal-tables.ts` has it, or the
// list below says why it names nobody.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { addApplication, what } from '../../../test/contracts/requests.ts';
import { toCatalog } from '../catalog.ts';
import { openSqlite } from '../sqlite/sqlite.ts';
import { tables } from '../tables.ts';
import { type PersonalTable, personalTables } from './personal-tables.ts';

/** Columns of text, by why they name nobody. */
const namesNobody: Record<string, string> = {
  'an id or a key of something else than a person': `applications.app_key certificates.app_key certificates.thumbprint
    app_passwords.id app_passwords.app_key consents.app_key contents.blob entries.id entry_jobs.id entry_jobs.app_key
    issuer_records.id issuer_records.uid issuer_records.grant_id leases.blob links.id links.entry links.made_by locks.token
    recent.id second_factors.id second_factors.credential sessions.grant_id sessions.session sessions.app_key
    share_downloads.share share_downloads.entry shares.id shares.entry shares.app_key spaces.id spaces.root starred.id
    trash.parent uploads.id uploads.app_key uploads.blob uploads.result webhook_deliveries.id webhook_deliveries.webhook
    webhook_deliveries.event_id webhooks.id webhooks.folder journal.request journal.link idempotency.key`,
  'a secret, a hash or a key': `applications.secret_sha256 applications.previous_secret_sha256 app_passwords.hash
    idempotency.fingerprint recovery_codes.hash second_factors.secret second_factors.public_key setup_links.hash
    shares.secret_hash shares.secret shares.password users.password webhooks.secret webhooks.previous_secret`,
  'a kind, a state or a right': `applications.kind applications.state applications.scopes app_passwords.access
    consents.scopes entry_jobs.state grants.role hidden_trees.purpose idempotency.operation issuer_records.model
    journal.action members.role second_factors.kind second_factors.transports share_rules.makers shares.access users.state
    uploads.protocol uploads.kind uploads.grown webhook_deliveries.type webhooks.events webhooks.state`,
  'content, or what somebody called something of a space': `applications.name applications.redirect_uris
    certificates.subject dead_properties.namespace dead_properties.name dead_properties.xml entries.name entries.name_key
    entries.natural_key entries.object_type entries.content_type entries.properties group_members.name people_groups.name
    spaces.name trash.path uploads.asked versions.content_type versions.comment webhooks.url webhooks.description
    webhook_deliveries.error webhook_deliveries.response`,
  'goes with the row, which another column gives to its person': `app_passwords.name entry_jobs.results idempotency.result
    issuer_records.payload known_addresses.address locks.owner locks.owner_text second_factors.name sessions.address
    sessions.user_agent shares.name shares.note`,
  'the account itself': 'users.id users.name',
  'a visitor without an account; removed with the link or after a day': 'share_downloads.address',
  'of the catalog as a whole': 'meta.name meta.value',
};

const id = 'ann-4f1c';
/** What only rows of the person have. */
const traces = ['Ann Uniquely', '203.0.113.77', 'Personal/9.9'];
const folder = mkdtempSync(join(tmpdir(), 'cabinet-personal-'));
const path = join(folder, 'catalog.db');

const open = async () => toCatalog(await openSqlite({ path, onFatal: assert.fail }));

before(async () => {
  const catalog = await open();
  await addApplication(catalog, 'first');
  await catalog.addUser({ id, name: 'Ann Uniquely', password: 'x', ...what });
  await catalog.close();
});
after(() => rmSync(folder, { recursive: true }));

function textColumns(database: DatabaseSync): string[] {
  const names = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
  return names.flatMap(({ name }) => {
    const columns = database.prepare(`SELECT name, type FROM pragma_table_info(?)`).all(String(name));
    return columns.filter(({ type }) => type === 'TEXT').map((column) => `${name}.${column.name}`);
  });
}

test('every column that can name a person is known to export and erasure', () => {
  const database = new DatabaseSync(path);
  const found = textColumns(database);
  database.close();
  const known = personalTables.map(({ table, person }) => `${table}.${person}`);
  const listed = [...known, ...Object.values(namesNobody).flatMap((columns) => columns.split(/\s+/))];
  assert.deepEqual(
    found.filter((column) => !listed.includes(column)),
    [],
    'add it to personal-tables.ts, or say here why it names nobody',
  );
  assert.deepEqual(
    listed.filter((column) => !found.includes(column)),
    [],
  );
  assert.equal(new Set(listed).size, listed.length);
  // What is moved between engines is what both engines have.
  for (const { table, person } of personalTables) {
    const moved = tables.find(({ name }) => name === table);
    assert.ok(moved === undefined || moved.columns.includes(person), `${table}.${person}`);
  }
});

test('whatever is kept or not exported has a reason, and no secret is exported', () => {
  for (const { table, person, section, isErased, reason, shown } of personalTables) {
    if (section === null || !isErased) assert.ok(reason !== undefined, `${table}.${person}`);
    const names = shown.map((column) => column.replace(/^.* AS /s, '')).filter((column) => column !== 'app_key');
    assert.ok(!names.some((name) => /secret|hash|password|credential|key|payload|counter/.test(name)), `${table}`);
  }
});

const filled: Record<string, string> = {
  ...{ 'shares.name': 'Ann Uniquely', 'app_passwords.name': 'Ann Uniquely', 'second_factors.name': 'Ann Uniquely' },
  ...{ 'sessions.address': '203.0.113.77', 'known_addresses.address': '203.0.113.77', 'locks.owner': 'Ann Uniquely' },
  ...{ 'sessions.user_agent': 'Personal/9.9', 'idempotency.app_key': `ak_first ${id}` },
};

function fill(database: DatabaseSync, { table, person, prefix = '', isErased }: PersonalTable, index: number): void {
  const columns = database.prepare('SELECT name, type, pk FROM pragma_table_info(?)').all(table);
  const values = columns.map(({ name, type }) => {
    const value = filled[`${table}.${name}`];
    if (value !== undefined && isErased) return value;
    if (name === person) return `${prefix}${id}`;
    return type === 'INTEGER' ? 1000 + index : type === 'BLOB' ? new Uint8Array(32) : `x${index}`;
  });
  const marks = columns.map(() => '?').join(', ');
  database.prepare(`INSERT INTO ${table} VALUES (${marks})`).run(...values);
}

/** Where the database still has a text: `table.column`. */
function findText(database: DatabaseSync, text: string): string[] {
  return textColumns(database).filter((column) => {
    const [table, name] = column.split('.');
    return database.prepare(`SELECT 1 FROM ${table} WHERE instr(${name}, ?) > 0 LIMIT 1`).get(text) !== undefined;
  });
}

test('erasing leaves the id where the list says so, and nothing else of the person', async (context) => {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec('PRAGMA ignore_check_constraints = ON');
  for (const [index, one] of personalTables.entries()) if (one.table !== 'journal') fill(database, one, index);
  for (const { table, person } of personalTables) {
    if (table !== 'journal') assert.ok(findText(database, id).includes(`${table}.${person}`), `${table}.${person}`);
  }
  const catalog = await open();
  context.after(async () => {
    await catalog.close();
    database.close();
  });
  assert.equal(await catalog.erasePerson({ id, ...what }), true);
  while ((await catalog.eraseRows({ id })) > 0);
  const kept = personalTables.filter(({ isErased }) => !isErased).map(({ table, person }) => `${table}.${person}`);
  const left = findText(database, id);
  assert.deepEqual(
    left.filter((column) => column !== 'users.id' && !kept.includes(column)),
    [],
  );
  for (const trace of traces) assert.deepEqual(findText(database, trace), [], trace);
});
