// Loads pages of a folder, one at a time: around the rows that are shown, to the end, or all. While the list is dragged, nothing is
// loaded for rows that are only passed.

import type { Entry, FolderPage } from '@cabinet/client';
import type { Comparison } from './entry-order.ts';
import { addPage, findMissing, isWhole, type Listed, type Range, type Wanted } from './stretches.ts';

const pageSize = 1000;
const jumpSize = 200;
/** Rows that are shown for less are passed. */
const passingMs = 80;

interface PageQuery {
  cursor?: string;
  offset?: number;
  limit: number;
}

interface Ground {
  read(): Listed | null;
  write(listed: Listed): void;
  fetch(page: PageQuery, signal: AbortSignal): Promise<FolderPage>;
  compare: Comparison;
  /** Called when `isLoading` or `error` has changed. */
  onChange(): void;
}

export class ListLoader {
  readonly #ground: Ground;
  #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #range: Range = { first: 0, last: 0 };
  #running = 0;
  error: Error | null = null;

  constructor(ground: Ground) {
    this.#ground = ground;
  }

  get isLoading(): boolean {
    return this.#running > 0;
  }

  open(): void {
    if (this.#abort.signal.aborted) this.#abort = new AbortController();
  }

  close(): void {
    this.#stopTimer();
    this.#abort.abort();
  }

  /** Called again whenever the list has changed: the page that then is missing comes next. */
  show(range: Range): void {
    const isSame = range.first === this.#range.first && range.last === this.#range.last;
    if (isSame && this.#timer !== undefined) return;
    this.#range = range;
    this.#stopTimer();
    const wanted = this.#findMissing();
    if (wanted === null) return;
    if (wanted.way !== 'jump') void this.#fetch(wanted);
    else this.#timer = setTimeout(() => this.#loadMissing(), passingMs);
  }

  retry(): void {
    this.error = null;
    this.#ground.onChange();
    this.#loadMissing();
  }

  async loadAll(): Promise<readonly Entry[] | null> {
    for (;;) {
      const listed = this.#ground.read();
      if (listed === null) return null;
      if (isWhole(listed)) return listed.stretches[0]?.entries ?? [];
      const cursor = listed.stretches.find(({ next }) => next !== null)?.next;
      // Between the last page and the start there is none without a cursor.
      if (!cursor || !(await this.#fetch({ way: 'next', cursor }))) return null;
    }
  }

  async loadEnd(): Promise<Entry | null> {
    const toLast = () => this.#ground.read()?.stretches.at(-1);
    if (toLast()?.next !== null && !(await this.#fetch({ way: 'jump', offset: -jumpSize }))) return null;
    return toLast()?.entries.at(-1) ?? null;
  }

  #findMissing(): Wanted | null {
    const listed = this.#ground.read();
    if (listed === null || this.isLoading || this.error !== null) return null;
    return findMissing(listed, this.#range);
  }

  #loadMissing(): void {
    this.#stopTimer();
    const wanted = this.#findMissing();
    if (wanted !== null) void this.#fetch(wanted);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Whether the page is there. */
  async #fetch(wanted: Wanted): Promise<boolean> {
    const { signal } = this.#abort;
    const { read, write, fetch, compare, onChange } = this.#ground;
    this.#running += 1;
    try {
      const page = await fetch(toQuery(wanted), signal);
      const listed = read();
      if (listed === null) return false;
      write(addPage(listed, wanted, page, compare));
      return true;
    } catch (error) {
      if (!signal.aborted) this.error = error as Error;
      return false;
    } finally {
      this.#running -= 1;
      if (!signal.aborted) onChange();
    }
  }
}

function toQuery(wanted: Wanted): PageQuery {
  if (wanted.way === 'jump') return { offset: wanted.offset, limit: jumpSize };
  return { cursor: wanted.cursor, limit: pageSize };
}
