// What a client can read of a data folder, through the operations and rendered as on the wire, but in this thread: entries,
// the ways to them, listings, versions, contents, the trash, the feed. Each answer is stored by its question.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readLocalBlobs } from '../../src/blobs/local/local.ts';
import { type Catalog, registry } from '../../src/catalog/catalog.ts';
import { Connection } from '../../src/catalog/sqlite/connection.ts';
import { actingForItself, type Caller, type SpaceAccess } from '../../src/domain/caller.ts';
import { orders } from '../../src/domain/entry.ts';
import { entryNotFound } from '../../src/domain/missing.ts';
import type { Cabinet } from '../../src/operations/cabinet.ts';
import { followChanges } from '../../src/operations/follow-changes.ts';
import { listFolder } from '../../src/operations/list-folder.ts';
import { openFile } from '../../src/operations/open-file.ts';
import { showByPath, showEntry } from '../../src/operations/show-entry.ts';
import { listTrash } from '../../src/operations/trash.ts';
import { listVersions } from '../../src/operations/versions.ts';
import { renderChanges, renderEnvelope, renderShownEntry, renderTrash, renderVersions } from '../../src/rest/wire.ts';

const all = 1000;

/** What existed before the damage: everything that is read afterwards. */
export interface Known {
  access: SpaceAccess;
  folders: string[];
  files: { id: string; path: string; versions: number[] }[];
}

/** By question. Refused and failed ones are not in it. */
export type Answers = Map<string, string>;

export interface Reader {
  readonly known: Known;
  readContents(): Promise<Answers>;
  readRecords(): Promise<Answers>;
  close(): void;
}

/** `known` null: it is found out. */
export async function openReader(folder: string, known: Known | null): Promise<Reader> {
  const connection = new Connection(join(folder, 'catalog.db'), 'reader');
  const reads = [...registry].filter(([, { kind }]) => kind === 'read');
  const calls = reads.map(([name, verb]) => [name, async (input: unknown) => connection.read(verb(input))] as const);
  const catalog = Object.fromEntries(calls) as unknown as Catalog;
  const cabinet = { catalog, blobs: readLocalBlobs(folder), isReadAudited: false } as unknown as Cabinet;
  const reading = { cabinet, known: known ?? (await explore(cabinet)) };
  return {
    known: reading.known,
    readContents: () => readContents(reading),
    readRecords: () => readRecords(reading),
    close: () => connection.close(),
  };
}

interface Reading {
  cabinet: Cabinet;
  known: Known;
}

function toCaller(access: SpaceAccess): Caller {
  const who = { appKey: 'flips', actor: 'app:flips', ...actingForItself, requestId: 'flips' };
  return { ...who, scopes: ['content.read'], spaces: [access], spaceId: null };
}

async function explore(cabinet: Cabinet): Promise<Known> {
  const [access] = await cabinet.catalog.listSpaces({});
  if (access === undefined) throw new Error('there is no space');
  const caller = toCaller(access);
  const known: Known = { access, folders: [access.rootId], files: [] };
  for (const folderId of known.folders) {
    const { children } = await listFolder(cabinet, caller, { folderId, limit: all });
    for (const { id, kind } of children) {
      if (kind === 'folder') known.folders.push(id);
      else {
        const { versions } = await listVersions(cabinet, caller, { fileId: id, below: null, limit: all });
        const { path } = await showEntry(cabinet, caller, { id });
        known.files.push({ id, path, versions: versions.map(({ version }) => version) });
      }
    }
  }
  return known;
}

async function keep(answers: Answers, question: string, answer: () => Promise<string>): Promise<void> {
  try {
    answers.set(question, await answer());
  } catch {
    // A refusal or a fault promises nothing.
  }
}

async function readContents({ cabinet, known }: Reading): Promise<Answers> {
  const answers: Answers = new Map();
  const caller = toCaller(known.access);
  for (const { id: fileId, versions } of known.files) {
    // A file with one version has nothing else to ask for.
    for (const version of versions.length === 1 ? [null] : [null, ...versions]) {
      await keep(answers, `content ${fileId} ${version}`, async () => {
        const { read, sizeBytes } = await openFile(cabinet, caller, { fileId, version });
        const digest = createHash('sha256');
        for await (const chunk of read({ start: 0, end: sizeBytes })) digest.update(chunk);
        return digest.digest('hex');
      });
    }
  }
  return answers;
}

async function readRecords({ cabinet, known }: Reading): Promise<Answers> {
  const answers: Answers = new Map();
  const caller = toCaller(known.access);
  for (const id of [...known.folders, ...known.files.map((file) => file.id)]) {
    await keep(answers, `entry ${id}`, async () => renderShownEntry(await showEntry(cabinet, caller, { id })));
  }
  for (const { id: fileId, path } of known.files) {
    await keep(answers, `path ${path}`, async () =>
      renderShownEntry(await showByPath(cabinet, caller, { path, missing: entryNotFound })),
    );
    await keep(answers, `versions ${fileId}`, async () =>
      renderVersions((await listVersions(cabinet, caller, { fileId, below: null, limit: all })).versions),
    );
    await keep(answers, `headers ${fileId}`, async () => {
      const { name, contentType, modifiedAt, sizeBytes } = await openFile(cabinet, caller, { fileId, version: null });
      return JSON.stringify([name, contentType, modifiedAt, sizeBytes]);
    });
  }
  for (const folderId of known.folders) {
    for (const order of orders) {
      await keep(answers, `listing ${folderId} by ${order}`, async () => {
        return renderEnvelope(await listFolder(cabinet, caller, { folderId, order, limit: all }));
      });
    }
  }
  await keep(answers, 'trash', async () =>
    renderTrash((await listTrash(cabinet, caller, { after: null, limit: all })).entries),
  );
  await keep(answers, 'changes', async () => {
    const feed = { after: null, limit: all, waitMs: 0, isOver: () => true };
    return renderChanges((await followChanges(cabinet, caller, feed)).changes, '');
  });
  return answers;
}
