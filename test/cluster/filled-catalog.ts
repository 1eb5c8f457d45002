// A catalog with something of everything in it, and how two catalogs are compared by what they answer.

import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import type { Blobs } from '../../src/blobs/blobs.ts';
import type { Catalog } from '../../src/catalog/catalog.ts';
import type { JournalFiles } from '../../src/catalog/journal-files.ts';
import { orders } from '../../src/domain/entry.ts';
import { archiveJournal } from '../../src/jobs/archive-journal.ts';
import type { Cabinet } from '../../src/operations/cabinet.ts';
import { addApplication, asBlob, fileIn, folderIn, inline, type Registered, what } from '../contracts/requests.ts';

const password = '$argon2id$v=19$m=8,t=1,p=1$AAAA$AAAA';
/** In the order of bytes the last two are the other way round than in JavaScript's. */
const names = [
  'a',
  'B',
  'é',
  'e\u0301 2',
  'Straße',
  '100 %',
  `"'\`$1;--`,
  '文件',
  '\u{ff5e}',
  '😀.txt',
  '\u{1f600}\u{fe0f}',
];
const odd = { 'ключ\u0000': 'null \u0000, quotes "\'`, back \\ slash', '😀': '\r\n\t\u2028\ufeff', '': '-' };

export interface Filled {
  applications: Registered[];
  /** Files whose bytes are in the blob store. */
  large: { id: string; bytes: Buffer }[];
}

export async function fill(catalog: Catalog, blobs: Blobs, journalFiles: JournalFiles): Promise<Filled> {
  const one = await addApplication(catalog, 'one');
  const two = await addApplication(catalog, 'two', 'shared ☂');
  await manage(catalog, one);
  const large = await fillTree(catalog, blobs, one);
  await fillTree(catalog, blobs, two);
  await fillRemains(catalog, one);
  const cabinet = { catalog, journalFiles, limits: { journalMs: 0 } } as unknown as Cabinet;
  assert.ok((await archiveJournal(cabinet, { now: Date.now() + 1000, positions: 20 })) >= 40);
  return { applications: [one, two], large };
}

async function manage(catalog: Catalog, one: Registered): Promise<void> {
  const certificates = ['t1', 't2'].map((thumbprint) => ({ thumbprint, subject: 'CN=ä, O="x"', notAfter: what.at }));
  await addApplication(catalog, 'server', null, { kind: 'server', certificates });
  await addApplication(catalog, 'gone');
  await catalog.setApplicationState({ application: 'gone', state: 'removed', areTokensRevoked: false, ...what });
  const secretSha256 = hash('sha256', 'new');
  await catalog.rotateSecret({
    application: 'one',
    secretSha256,
    previousUntil: what.at + 5,
    areTokensRevoked: false,
    ...what,
  });
  await catalog.addApplication({
    appKey: 'ak_people',
    name: 'people',
    kind: 'client',
    scopes: ['content.read', 'content.write'],
    secretSha256: null,
    redirectUris: ['https://app.example/back?a=b&c="d"'],
    certificates: [],
    asksConsent: true,
    isForPeopleOnly: true,
    space: null,
    spaceId: '',
    rootId: '',
    ...what,
  });
  for (const [id, name] of [
    ['zoë', 'Zoë 😀'],
    ['abe', `Abe "O'Neill"`],
  ] as const) {
    await catalog.addUser({ id, name, password, ...what });
    await catalog.setMember({ id, space: one.space, role: 'manager', isManagerKept: false, ...what });
  }
  await catalog.setRole({ id: 'outside:|subject', space: 'one', role: 'viewer', ...what });
  await catalog.setUserState({ id: 'abe', state: 'disabled', ...what });
  for (const [model, id, user] of [
    ['Session', 's1', 'zoë'],
    ['Grant', 'g1', 'zoë'],
    ['RefreshToken', 'r1', null],
  ] as const) {
    const record = { model, id, uid: `u-${id}`, grant: 'g1', user, since: 5, payload: '{"a":"😀\\u0000"}' };
    await catalog.putIssuerRecord({ ...record, expiresAt: what.at + 9e9 });
  }
  // More than are read at a time.
  const session = { model: 'Interaction', uid: null, grant: null, user: null, since: null, payload: '{}' };
  const put = (index: number) => catalog.putIssuerRecord({ ...session, id: `i${index}`, expiresAt: what.at + index });
  await Promise.all(Array.from({ length: 1100 }, (_, index) => put(index)));
  await catalog.consumeIssuerRecord({ model: 'RefreshToken', id: 'r1', at: what.at });
  await catalog.endIssuerRecord({ model: 'Grant', id: 'g1' });
  const quota = { entries: 10_000, bytes: 5_000_000_000_000, requests: 7 };
  await catalog.setQuota({ space: 'one', application: null, user: null, quota, ...what });
  await catalog.setQuota({ space: null, application: 'one', user: null, quota: { bytes: 9e12 }, ...what });
  await catalog.setQuota({ space: 'one', application: null, user: 'zoë', quota: { requests: 1 }, ...what });
}

async function putLarge(blobs: Blobs, bytes: Buffer) {
  const content = asBlob(bytes);
  await blobs.put(
    content.blob as string,
    (async function* () {
      yield [bytes];
    })(),
  );
  return content;
}

async function fillTree(catalog: Catalog, blobs: Blobs, app: Registered): Promise<Filled['large']> {
  let parent = app.rootId;
  for (const name of names) {
    const { folder } = await catalog.createFolder(folderIn(app, name, { parent, properties: odd, objectType: 'x:y' }));
    const content = inline(randomBytes(name.length * 1000));
    const saved = await catalog.saveFile(fileIn(app, `${name}.bin`, { folder: folder.id, content, properties: odd }));
    for (const comment of ['first', 'Ünï\tcode 😀', null]) {
      const bytes = inline(randomBytes(50));
      await catalog.saveFile(fileIn(app, saved.file.name, { folder: folder.id, content: bytes, comment }));
    }
    if (name.length > 2) parent = folder.id;
  }
  await catalog.saveFile(fileIn(app, 'empty', { content: inline(Buffer.alloc(0)) }));
  const idempotency = { appKey: app.appKey, operation: 'save-file', key: 'k "1"', fingerprint: 'f' } as const;
  await catalog.saveFile(fileIn(app, 'once', { idempotency }));
  const large: Filled['large'] = [];
  for (const size of [70_000, 1024 * 1024, 3 * 1024 * 1024 + 7]) {
    const bytes = randomBytes(size);
    const { file } = await catalog.saveFile(fileIn(app, `large ${size}`, { content: await putLarge(blobs, bytes) }));
    large.push({ id: file.id, bytes });
  }
  const [first] = large;
  const target = { space: app.space, id: first?.id ?? '', parent: app.rootId, ...what };
  await catalog.beginCopy({ ...target, name: 'the same bytes', conflict: 'Fail' });
  return large;
}

/** What was trashed, removed, brought back, half copied. */
async function fillRemains(catalog: Catalog, app: Registered): Promise<void> {
  const { space, rootId } = app;
  const children = (await catalog.listFolder({ space, folder: rootId, limit: 100 }))?.children ?? [];
  const { id: folder } = children.find(({ kind }) => kind === 'folder') ?? { id: '' };
  const { folder: full } = await catalog.createFolder(folderIn(app, 'full'));
  for (let index = 0; index < 60; index += 1) await catalog.saveFile(fileIn(app, `f${index}`, { folder: full.id }));
  const at = Date.now();
  const copied = await catalog.beginCopy({
    space,
    id: full.id,
    parent: rootId,
    name: 'c',
    conflict: 'Fail',
    ...what,
    at,
  });
  assert.ok(copied !== null && 'top' in copied, 'a copy is left half made');
  const gone = await catalog.saveFile(fileIn(app, 'gone for good', { folder }));
  await catalog.removeEntry({ space, id: gone.file.id, ...what });
  await catalog.trashEntry({ space, id: folder, ...what });
  const { file } = await catalog.saveFile(fileIn(app, 'versions'));
  for (let index = 0; index < 4; index += 1) {
    const content = inline(Buffer.from(`version ${index}`));
    await catalog.saveFile(fileIn(app, 'versions', { content, comment: `${index}` }));
  }
  const change = { space, file: file.id, keptVersions: null, ...what };
  await catalog.restoreVersion({ ...change, version: 2 });
  await catalog.removeVersion({ ...change, version: 3 });
  await catalog.commentVersion({ space, file: file.id, version: 2, comment: 'said later', ...what });
  const later = await catalog.createFolder(folderIn(app, 'restored'));
  await catalog.trashEntry({ space, id: later.folder.id, ...what });
  await catalog.restoreEntry({ space, id: later.folder.id, parent: null, name: null, conflict: 'Rename', ...what });
  await catalog.noteRead({ ...what, space, entry: file.id, version: 2 });
}

/** Everything that the verbs tell, as one value. */
export async function readAll(catalog: Catalog, { applications }: Filled): Promise<unknown> {
  const managed = {
    applications: (await catalog.listApplications({})).map(({ certificates, ...rest }) => [rest, certificates.sort()]),
    certificates: await catalog.listCertificates({ application: 'server' }),
    users: await catalog.listUsers({}),
    quotas: await catalog.listQuotas({ isWhole: true }),
    session: await catalog.findIssuerRecord({ model: 'Session', by: 'id', value: 's1', at: what.at }),
    grant: await catalog.findIssuerRecord({ model: 'Grant', by: 'id', value: 'g1', at: what.at }),
    token: await catalog.findIssuerRecord({ model: 'RefreshToken', by: 'uid', value: 'u-r1', at: what.at }),
    hidden: await catalog.findHiddenTrees({}),
    ends: await catalog.findJournalEnds({}),
    journal: await catalog.listJournal({ from: 1, to: Number.MAX_SAFE_INTEGER, limit: 10_000 }),
  };
  const spaces = await Promise.all(applications.map((application) => readSpace(catalog, application)));
  // Rows of one engine are objects without a prototype.
  return JSON.parse(JSON.stringify({ managed, spaces }));
}

const everything = { since: null, until: null, by: null, action: null, entry: null };

async function readSpace(catalog: Catalog, { space, rootId, appKey }: Registered): Promise<unknown> {
  const folders = [rootId];
  const listed: unknown[] = [];
  for (const folder of folders) {
    for (const order of orders) {
      const { asOf: _, ...page } = { ...(await catalog.listFolder({ space, folder, order, limit: 1000 })) };
      listed.push(page);
      if (order !== orders[0]) continue;
      for (const child of page.children ?? []) {
        if (child.kind === 'folder') folders.push(child.id);
        else listed.push(await readFile(catalog, space, child.id));
      }
    }
  }
  return {
    listed,
    application: await catalog.findApplication({ appKey }),
    trash: await catalog.listTrash({ space, after: null, limit: 1000 }),
    trashBytes: await catalog.findTrashBytes({ space }),
    usage: await catalog.listUsage({ space, after: null, limit: 100 }),
    members: await catalog.listMembers({ space, after: null, limit: 100 }),
    audit: await catalog.listAudit({ space, before: null, limit: 10_000, ...everything }),
    changes: await catalog.listChanges({ space, after: null, limit: 10_000 }),
    present: await catalog.listPresent({ space, after: 0, limit: 10_000 }),
  };
}

async function readFile(catalog: Catalog, space: number, id: string): Promise<unknown> {
  const page = await catalog.listVersions({ space, file: id, below: null, limit: 100 });
  const contents: unknown[] = [];
  for (const { version } of page?.versions ?? []) {
    const { sha256, bytes, checksums, ...rest } = { ...(await catalog.findContent({ space, id, version })) };
    contents.push([
      rest,
      ...[sha256, bytes, checksums].map((value) => (value ? Buffer.from(value).toString('hex') : null)),
    ]);
  }
  return { details: await catalog.findDetails({ space, id }), page, contents };
}
