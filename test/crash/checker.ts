// Compares a catalog and its blobs with the responses that clients got. Opens the catalog as the service does (the same
// connection, recovery and migrations) but in this thread, so that thousands can be checked; the caller provides the bytes
// of blobs.

import { hash } from 'node:crypto';
import type { Row } from '../../src/catalog/sql.ts';
import { Connection } from '../../src/catalog/sqlite/connection.ts';
import { migrate } from '../../src/catalog/sqlite/migrate.ts';
import { type Change, type JournalKey, keyOfLink, toLink } from '../../src/domain/chain.ts';
import { type Expected, expectAfter, type Step, type Story } from './ledger.ts';

export type ProblemKind = 'lost' | 'torn' | 'wrong';

/** lost: answered and not there. torn: visible, and not whole. wrong: anything else that must not be. */
export interface Problem {
  kind: ProblemKind;
  text: string;
}

export interface Held {
  catalogPath: string;
  /** The SHA-256 of a blob's bytes, hex; null: there is no such blob. */
  digestOfBlob(blob: string): string | null;
  /** A file of the environment's folder; null: there is none. */
  readFile(path: string): Buffer | null;
  stories: readonly Story[];
  isAnswered(step: Step): boolean;
  /** Whether a step that was not answered may have happened all the same. */
  isDoubtAllowed(step: Step): boolean;
}

interface Found {
  id: string;
  kind: 'file' | 'folder';
  version: number;
  sizeBytes: number;
  place: Expected['place'];
  digests: string[];
}

export function checkHeld(held: Held): Problem[] {
  const problems: Problem[] = [];
  let connection: Connection;
  try {
    connection = new Connection(held.catalogPath, 'writer');
  } catch (error) {
    return [{ kind: 'lost', text: `the catalog does not open: ${error}` }];
  }
  try {
    migrate(connection);
    checkDatabase(connection, problems);
    const found = readEntries(connection, held, problems);
    const requests = checkJournal(connection, held, problems);
    for (const story of held.stories) checkStory({ held, story, found: found.get(story.name), requests, problems });
    checkSums(connection, problems);
  } catch (error) {
    problems.push({ kind: 'lost', text: `the catalog cannot be read: ${error}` });
  } finally {
    connection.close();
  }
  return problems;
}

function checkDatabase(connection: Connection, problems: Problem[]): void {
  for (const row of connection.all('PRAGMA integrity_check(3)')) {
    if (row.integrity_check !== 'ok') problems.push({ kind: 'torn', text: `SQLite finds: ${row.integrity_check}` });
  }
}

const entriesSql = `SELECT entries.id AS id, entries.name AS name, entries.kind AS kind, entries.size AS size,
    entries.version AS current, parents.id AS parent, versions.version AS version, contents.sha256 AS sha256,
    contents.size AS content_size, contents.bytes AS bytes, contents.blob AS blob
  FROM entries JOIN entries AS parents ON parents.entry = entries.parent
  LEFT JOIN versions ON versions.entry = entries.entry LEFT JOIN contents ON contents.content = versions.content
  ORDER BY entries.entry, versions.version`;

function readEntries(connection: Connection, held: Held, problems: Problem[]): Map<string, Found> {
  const entries = new Map<string, Found>();
  for (const row of connection.all(entriesSql)) {
    const name = row.name as string;
    let found = entries.get(name);
    if (found === undefined) {
      found = toFound(row);
      entries.set(name, found);
    } else if (found.id !== row.id) problems.push({ kind: 'wrong', text: `two entries are named ${name}` });
    if (found.kind === 'file') found.digests.push(checkContent(row, held, problems));
  }
  return entries;
}

function toFound(row: Row): Found {
  const place = row.parent === '-trash-' ? 'trash' : row.parent === '-hidden-' ? 'gone' : 'visible';
  return {
    id: row.id as string,
    kind: row.kind === 1 ? 'file' : 'folder',
    version: row.current as number,
    sizeBytes: row.size as number,
    place,
    digests: [],
  };
}

/** Also of what nobody can see any more: its bytes are there as long as its record is. */
function checkContent(row: Row, held: Held, problems: Problem[]): string {
  const what = `version ${row.version} of ${row.name}`;
  if (row.sha256 === null) {
    // What is being taken apart loses its versions first.
    if (row.parent !== '-hidden-') problems.push({ kind: 'torn', text: `${row.name} has no content` });
    return '';
  }
  const recorded = Buffer.from(row.sha256 as Uint8Array).toString('hex');
  const blob = row.blob as string | null;
  const actual = blob === null ? hash('sha256', row.bytes as Uint8Array) : held.digestOfBlob(blob);
  if (actual === null) problems.push({ kind: 'torn', text: `the blob ${blob} of ${what} is not there` });
  else if (actual !== recorded) problems.push({ kind: 'torn', text: `the bytes of ${what} are not what was saved` });
  return recorded;
}

/** Returns the tracking ids of all changes. */
function checkJournal(connection: Connection, held: Held, problems: Problem[]): Set<string> {
  const requests = new Set<string>();
  let before = '';
  let place = 0;
  let key: JournalKey | null = null;
  for (const row of connection.all('SELECT * FROM journal ORDER BY position')) {
    const change = row as unknown as Change & { position: number; link: string };
    place += 1;
    const id = keyOfLink(change.link);
    if (id !== null) key ??= readKey(held, id);
    if (change.position !== place || toLink(before, place, change, key) !== change.link) {
      problems.push({ kind: 'wrong', text: `the journal is broken at ${change.position}` });
      return requests;
    }
    before = change.link;
    requests.add(change.request);
  }
  return requests;
}

/** Durable before anything is written with it. */
function readKey({ readFile }: Held, id: string): JournalKey | null {
  const bytes = readFile(`journal-keys/1-${id}.json`);
  if (bytes === null) return null;
  const { Id, Secret } = JSON.parse(bytes.toString()) as { Id: string; Secret: string };
  return { id: Id, secret: Secret };
}

interface Compared {
  held: Held;
  story: Story;
  found: Found | undefined;
  requests: ReadonlySet<string>;
  problems: Problem[];
}

function checkStory({ held, story, found, requests, problems }: Compared): void {
  const steps = story.steps.filter(({ outcome }) => outcome !== 'refused');
  const answered = steps.findLastIndex((step) => held.isAnswered(step)) + 1;
  const actual = found ?? null;
  if (isAsExpected(actual, expectAfter(steps.slice(0, answered)))) {
    const missing = steps.slice(0, answered).find((step, at) => isChange(steps, at) && !requests.has(step.request));
    if (missing !== undefined) {
      problems.push({ kind: 'lost', text: `the journal misses ${missing.kind} of ${story.name} (${missing.request})` });
    }
    return;
  }
  const next = steps[answered];
  const isOneFurther = next !== undefined && isAsExpected(actual, expectAfter(steps.slice(0, answered + 1)));
  if (isOneFurther && held.isDoubtAllowed(next)) return;
  const expected = expectAfter(steps.slice(0, answered));
  const kind = isOneFurther || answered === 0 ? 'wrong' : 'lost';
  const why = isOneFurther ? 'was done but never answered' : 'is not as it was answered';
  problems.push({ kind, text: `${story.name} ${why}: expected ${toText(expected)}, found ${toText(actual)}` });
}

/** Saving the same bytes over themselves leaves no trace. */
function isChange(steps: readonly Step[], at: number): boolean {
  const before = expectAfter(steps.slice(0, at));
  return steps[at]?.kind !== 'version' || steps[at]?.sha256 !== before.digests.at(-1);
}

function isAsExpected(found: Found | null, expected: Expected): boolean {
  if (expected.place === 'none') return found === null;
  // What is removed for good is taken apart in its own time.
  if (expected.place === 'gone') return found === null || found.place === 'gone';
  if (found === null || found.place !== expected.place || found.kind !== expected.kind) return false;
  return (
    found.digests.length === expected.digests.length && found.digests.every((one, at) => one === expected.digests[at])
  );
}

function toText(entry: Expected | Found | null): string {
  if (entry === null) return 'nothing';
  return `${entry.place} ${entry.kind} [${entry.digests.map((digest) => digest.slice(0, 8))}]`;
}

/** A folder's size is the sum of what it holds. */
function checkSums(connection: Connection, problems: Problem[]): void {
  const wrong = connection.all(
    `SELECT id, size, (SELECT coalesce(sum(size), 0) FROM entries AS child WHERE child.parent = entries.entry) AS sum
     FROM entries WHERE kind = 0 AND size <> sum`,
  );
  for (const { id, size, sum } of wrong) problems.push({ kind: 'wrong', text: `folder ${id} has ${size}, not ${sum}` });
}
