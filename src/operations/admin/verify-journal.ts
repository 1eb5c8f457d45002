// Recomputes the chain of the journal, archive files and table, from the first row: any edited, removed or moved row breaks it, and
// links cannot be computed again without the keys. A truncated tail leaves no trace in the rest; it only shows against a head that was stored elsewhere. Works in slices with
// pauses: the service keeps running, and rows may be archived meanwhile.

import type { Catalog } from '../../catalog/catalog.ts';
import type { JournalFiles, JournalRange } from '../../catalog/journal-files.ts';
import type { JournalKeys, StoredKey } from '../../catalog/journal-keys.ts';
import type { JournalRow } from '../../catalog/verbs/journal.ts';
import { isSameRow, keyChangeAction, keyOfLink, toLink } from '../../domain/chain.ts';
import { yieldToOthers } from '../../runtime/pacing.ts';

const sliceRows = 500;
/** More would tell an operator nothing new. */
const maxProblems = 100;

/** A position in the chain. */
export interface Head {
  position: number;
  link: string;
}

export interface Problem {
  position: number;
  problem: string;
}

export interface JournalVerification {
  rows: number;
  /** How many of them are in archive files. */
  sealedRows: number;
  /** The end of the chain; position 0 when it is empty. */
  head: Head;
  problems: Problem[];
}

/** The sources of the rows, and the keys of the links: a cabinet has them. */
interface Journal {
  catalog: Pick<Catalog, 'listJournal'>;
  journalFiles: JournalFiles;
  journalKeys: Pick<JournalKeys, 'list'>;
}

/** `expected`: heads that were kept elsewhere. */
export async function verifyJournal(journal: Journal, expected: readonly Head[]): Promise<JournalVerification> {
  const { catalog, journalFiles } = journal;
  const walk = new Walk(await journal.journalKeys.list(), expected);
  let ranges = await journalFiles.list();
  for (;;) {
    const next = walk.head.position + 1;
    const range = ranges.find(({ first, last }) => first <= next && next <= last);
    if (range !== undefined) {
      await verifyFile(journal, walk, range);
      continue;
    }
    const slice = await catalog.listJournal({ from: next, to: Number.MAX_SAFE_INTEGER, limit: sliceRows });
    if (walk.follow(slice)) {
      await yieldToOthers();
      continue;
    }
    // The end or a gap, unless these rows were archived since the files were listed.
    ranges = (await journalFiles.list()).filter(({ last }) => last >= next);
    const behind = slice.map(({ position }) => position).filter((position) => position > next);
    const following = Math.min(...behind, ...ranges.map(({ first }) => first));
    if (following === Number.POSITIVE_INFINITY) {
      // Rows that a damaged disk returns out of order would be returned again on every query.
      if (slice.length > 0) walk.report(next, 'the rows from here on are out of order');
      break;
    }
    if (following > next) walk.miss(following);
  }
  walk.finish();
  return walk;
}

async function verifyFile({ catalog, journalFiles }: Journal, walk: Walk, range: JournalRange): Promise<void> {
  const sealed = await journalFiles.read(range).catch(() => null);
  if (sealed === null) {
    walk.skip(range, 'the sealed file cannot be read');
    return;
  }
  for (let at = 0; at < sealed.length; at += sliceRows) {
    for (const row of sealed.slice(at, at + sliceRows)) {
      if (row.position > walk.head.position + 1) walk.miss(row.position);
      walk.step(row);
    }
    await yieldToOthers();
  }
  walk.sealedRows += sealed.length;
  if (walk.head.position < range.last) walk.miss(range.last + 1);
  // Rows that a crash left in the table beside the file must be equal to those of the file.
  const known = new Map(sealed.map((row) => [row.position, row]));
  for (let from = range.first; from <= range.last; await yieldToOthers()) {
    const slice = await catalog.listJournal({ from, to: range.last, limit: sliceRows });
    for (const row of slice) {
      if (!isSameRow(row, known.get(row.position))) walk.report(row.position, 'the row differs from the sealed one');
    }
    from = Math.max(from, slice.at(-1)?.position ?? range.last) + 1;
  }
}

class Walk implements JournalVerification {
  rows = 0;
  sealedRows = 0;
  head: Head = { position: 0, link: '' };
  problems: Problem[] = [];
  readonly #keys: ReadonlyMap<string, StoredKey>;
  readonly #expected = new Map<number, Set<string>>();
  /** The previous link is unknown. */
  #isBroken = false;

  constructor(keys: readonly StoredKey[], expected: readonly Head[]) {
    this.#keys = new Map(keys.map((key) => [key.id, key]));
    for (const { position, link } of expected) {
      if (position > 0) this.#expected.set(position, (this.#expected.get(position) ?? new Set()).add(link));
    }
  }

  step(row: JournalRow): void {
    const { position, link } = row;
    if (position !== this.head.position + 1) this.report(position, 'the row stands where another should');
    else if (!this.#isBroken) this.#checkLink(row);
    this.#isBroken = false;
    this.rows += 1;
    this.head = { position, link };
    const expected = this.#expected.get(position);
    this.#expected.delete(position);
    if (expected !== undefined && (expected.size > 1 || !expected.has(link))) {
      this.report(position, 'the link is not the expected one');
    }
  }

  #checkLink(row: JournalRow): void {
    const id = keyOfLink(row.link);
    const key = id === null ? null : (this.#keys.get(id) ?? null);
    if (id !== null && key === null) {
      this.report(row.position, `the link was made with the key ${id}, which is not there`);
      return;
    }
    if (toLink(this.head.link, row.position, row, key) !== row.link) {
      this.report(row.position, 'the row was edited or exchanged, or the link of the one before it was');
    } else if (!this.#mayFollow(row, key)) {
      this.report(row.position, `the link was made with ${id === null ? 'no key' : `the key ${id}`} all of a sudden`);
    }
  }

  /** Another key than before begins with the row that says so, the first one where it was added; none comes after one. */
  #mayFollow({ action, details }: JournalRow, key: StoredKey | null): boolean {
    const before = keyOfLink(this.head.link);
    if (this.head.position === 0 || before === (key?.id ?? null)) return true;
    if (key === null || action !== keyChangeAction || (JSON.parse(details) as { key: string }).key !== key.id)
      return false;
    return before !== null || (key.after?.position === this.head.position && key.after.link === this.head.link);
  }

  /** Verifies rows while they are consecutive. Returns whether there were any. */
  follow(slice: readonly JournalRow[]): boolean {
    const { position } = this.head;
    for (const row of slice) {
      if (row.position !== this.head.position + 1) break;
      this.step(row);
    }
    return this.head.position > position;
  }

  /** Reports the rows before `next` as missing. */
  miss(next: number): void {
    const first = this.head.position + 1;
    this.skip(
      { first, last: next - 1 },
      next - 1 === first ? 'the row is missing' : `the rows up to ${next - 1} are missing`,
    );
  }

  /** Neither these rows nor the link of the row after them can be verified. */
  skip({ first, last }: JournalRange, problem: string): void {
    this.report(first, problem);
    this.head = { position: last, link: '' };
    this.#isBroken = true;
  }

  finish(): void {
    for (const position of this.#expected.keys()) this.report(position, 'the expected row is not there');
    // Somebody without the keys could compute a whole chain as earlier releases made it.
    if (this.#keys.size > 0 && this.rows > 0 && keyOfLink(this.head.link) === null) {
      this.report(this.head.position, 'the chain ends without a key, although there is one');
    }
  }

  report(position: number, problem: string): void {
    if (this.problems.length < maxProblems) this.problems.push({ position, problem });
  }
}
