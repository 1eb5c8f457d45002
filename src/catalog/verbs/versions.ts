// Versions of a file: listing, restoring, removing and expiring them. A number is never used twice, because the current
// version has the highest number and cannot be removed.

import { versionNotFound } from '../../domain/missing.ts';
import { checkEntryPrecondition, type Precondition } from '../../domain/precondition.ts';
import { Refusal } from '../../domain/refusal.ts';
import { allSpaces, read, write } from '../declaration.ts';
import { type ChecksummedVersion, carryChecksum, toVersionChecksum } from '../row-checksums.ts';
import { execute, insert, note, type Origin, row, rows, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { type EntryRow, updateRow } from './entries.ts';
import { checkLocks } from './lock-checks.ts';
import { remove } from './removal.ts';
import { addToSizes, type EntryDetails, findHolder, findVisible, type LocatedEntry, toDetails } from './tree.ts';
import { addUsage, checkQuota } from './usage.ts';

const intoVersions = insertInto('versions', 'entry version content content_type created_at created_by comment seal');

export interface Version {
  version: number;
  sizeBytes: number;
  contentType: string;
  /** Hexadecimal. */
  sha256: string;
  createdAt: number;
  createdBy: string;
  comment: string | null;
}

/** A version with the digest and the size of its content. */
export interface VersionRow extends ChecksummedVersion {
  size: number;
  seal: number | null;
}

const selectVersions = sql`SELECT versions.entry AS entry, version, versions.content AS content, content_type,
  created_at, created_by, comment, contents.size AS size, sha256, seal FROM versions
  JOIN contents ON contents.content = versions.content`;

export interface ListVersions {
  space: number;
  file: string;
  /** Only versions below this number. */
  below: number | null;
  limit: number;
}

export interface VersionPage {
  versions: Version[];
  hasMore: boolean;
}

/** Newest first. Null if there is no such file. */
export const listVersions = read(
  {},
  function* listVersions({ space, file: id, below, limit }: ListVersions): Verb<VersionPage | null> {
    const file = yield* findVisible(space, id);
    if (file === undefined || file.kind !== 1) return null;
    const found = yield* rows<VersionRow>(
      sql`${selectVersions} WHERE versions.entry = ${file.entry} AND version < ${below ?? Number.MAX_SAFE_INTEGER}
        ORDER BY version DESC LIMIT ${limit + 1}`,
    );
    return { versions: found.slice(0, limit).map(toVersion), hasMore: found.length > limit };
  },
);

function toVersion(found: VersionRow): Version {
  const { version, size, content_type, sha256, created_at, created_by, comment } = found;
  return {
    version,
    sizeBytes: size,
    contentType: content_type,
    sha256: Buffer.from(sha256).toString('hex'),
    createdAt: created_at,
    createdBy: created_by,
    comment,
  };
}

export interface ChangeVersion extends Origin {
  space: number;
  file: string;
  version: number;
  keptVersions: number | null;
  /** Of the file's entry. */
  precondition?: Precondition | null;
}

export interface ChangedVersion {
  details: EntryDetails;
  freedBlobs: string[];
}

/** Makes a new version with the bytes of an old one, unless they are the current bytes. Null: no such file. */
export const restoreVersion = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'all' },
  function* restoreVersion(input: ChangeVersion): Verb<ChangedVersion | null> {
    const { space, at, by } = input;
    const found = yield* findFileVersion(input);
    if (found === null) return null;
    const { file, version } = found;
    const current = yield* requireVersion(file, file.version);
    if (version.content === current.content || Buffer.compare(version.sha256, current.sha256) === 0) {
      return { details: yield* toDetails(file), freedBlobs: [] };
    }
    yield* checkLocks(input, space, { changed: [file] });
    const added = { entries: 0, bytes: version.size };
    yield* checkQuota(space, by, added);
    const restored: LocatedEntry = {
      ...file,
      version: file.version + 1,
      size: version.size,
      content_type: version.content_type,
      modified_at: Math.max(at, file.modified_at),
      modified_by: by,
    };
    yield* updateRow(file, restored);
    yield* insertVersion({
      ...version,
      version: restored.version,
      created_at: restored.modified_at,
      created_by: by,
    });
    yield* supersede(restored, at);
    yield* addUsage(space, by, added);
    const folder = yield* findHolder(file);
    if (folder !== null) yield* addToSizes(folder, version.size - file.size);
    yield* note(input, input.space, 'version.restored', restored.id, {
      version: restored.version,
      from: version.version,
    });
    const freedBlobs = yield* dropOldVersions(input, restored);
    return { details: yield* toDetails(restored), freedBlobs };
  },
);

export const removeVersion = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* removeVersion(input: ChangeVersion): Verb<ChangedVersion | null> {
    const found = yield* findFileVersion(input);
    if (found === null) return null;
    const { file, version } = found;
    if (version.version === file.version) {
      throw new Refusal('VersionIsCurrent', 'This is the current version; it cannot be removed alone.', {
        target: 'version',
        hint: 'Restore or save another one first, or delete the file.',
      });
    }
    const freedBlobs = yield* remove({
      reason: 'version-removed',
      origin: input,
      space: input.space,
      file,
      versions: [version],
    });
    return { details: yield* toDetails(file), freedBlobs };
  },
);

export interface CommentVersion extends Omit<ChangeVersion, 'keptVersions'> {
  comment: string | null;
}

export const commentVersion = write(
  { space: ({ space }) => space, lock: 'exclusive', pages: 'unchanged' },
  function* commentVersion(input: CommentVersion): Verb<Version | null> {
    const found = yield* findFileVersion(input);
    if (found === null) return null;
    const { file, version } = found;
    if (version.comment !== input.comment) {
      yield* updateVersion(version, { ...version, comment: input.comment });
      yield* note(input, input.space, 'version.commented', file.id, { version: version.version });
    }
    return toVersion({ ...version, comment: input.comment });
  },
);

interface FileVersion {
  file: LocatedEntry;
  version: VersionRow;
}

function* findFileVersion(input: Omit<ChangeVersion, 'keptVersions'>): Verb<FileVersion | null> {
  const file = yield* findVisible(input.space, input.file);
  if (file === undefined || file.kind !== 1) return null;
  const version = yield* requireVersion(file, input.version);
  if (input.precondition) checkEntryPrecondition(input.precondition, yield* toDetails(file));
  return { file, version };
}

export function* requireVersion(file: EntryRow, number: number): Verb<VersionRow> {
  const found = yield* row<VersionRow>(
    sql`${selectVersions} WHERE versions.entry = ${file.entry} AND version = ${number}`,
  );
  if (found !== undefined) return found;
  throw versionNotFound();
}

export function* insertVersion(version: ChecksummedVersion): Verb<void> {
  yield* insert(intoVersions, [
    version.entry,
    version.version,
    version.content,
    version.content_type,
    version.created_at,
    version.created_by,
    version.comment,
    toVersionChecksum(version),
  ]);
}

/** Writes every column that can change. */
export function* updateVersion(before: VersionRow, version: VersionRow): Verb<void> {
  yield* execute(
    sql`UPDATE versions SET content_type = ${version.content_type}, comment = ${version.comment},
      seal = ${carryChecksum(before.seal, toVersionChecksum(before), toVersionChecksum(version))} WHERE entry = ${version.entry}
      AND version = ${version.version}`,
  );
}

/** Marks the previous version as superseded. */
export function* supersede(file: Pick<EntryRow, 'entry' | 'version'>, at: number): Verb<void> {
  yield* execute(
    sql`UPDATE versions SET superseded_at = ${at} WHERE entry = ${file.entry} AND version < ${file.version}
      AND superseded_at IS NULL`,
  );
}

/** Versions that one save removes. */
const maxDropped = 100;

/** Removes the versions beyond the limit, after a new one was added. Returns the blobs that nothing refers to any more; they
 *  can be deleted after the commit. */
export function* dropOldVersions(
  input: Pick<ChangeVersion, keyof Origin | 'space' | 'keptVersions'>,
  file: EntryRow,
): Verb<string[]> {
  if (input.keptVersions === null) return [];
  const old = yield* rows<VersionRow>(
    sql`${selectVersions} WHERE versions.entry = ${file.entry} ORDER BY version DESC
      LIMIT ${maxDropped} OFFSET ${input.keptVersions}`,
  );
  return yield* remove({ reason: 'version-limit', origin: input, space: input.space, file, versions: old });
}

export interface ExpireVersions extends Origin {
  /** Only versions that were superseded before this. */
  before: number;
}

/** Removes at most 200 expired versions; returns how many, and the freed blobs. */
export const expireVersions = write(
  { space: () => allSpaces, lock: 'exclusive', pages: 'unchanged' },
  function* expireVersions({ before, ...origin }: ExpireVersions): Verb<{ count: number; freedBlobs: string[] }> {
    const old = yield* rows<
      VersionRow & { space: number; id: string }
    >(sql`SELECT versions.entry AS entry, versions.version AS version, versions.content AS content,
       versions.created_by AS created_by, contents.size AS size, entries.space AS space, entries.id AS id
     FROM versions JOIN contents ON contents.content = versions.content JOIN entries ON entries.entry = versions.entry
     WHERE superseded_at IS NOT NULL AND superseded_at < ${before} ORDER BY superseded_at LIMIT 200`);
    const freedBlobs: string[] = [];
    for (const version of old) {
      const { space } = version;
      freedBlobs.push(
        ...(yield* remove({ reason: 'version-expired', origin, space, file: version, versions: [version] })),
      );
    }
    return { count: old.length, freedBlobs };
  },
);
