// How a verb declares itself: `read(declaration, function* …)` and `write(declaration, function* …)` return the generator
// function with its declaration attached. Engines, the page cache and the announcements read the declaration; no other
// list of verbs exists. A verb has one input, which is plain data; its name is its key in the registry (`catalog.ts`).

import type { PageChange } from './page-cache/page-change.ts';
import type { Verb } from './sql.ts';

/** The scope of a verb that belongs to no space: applications, users, sign-ins, uploads. */
export const noSpace = -1;
/** The scope of a verb that may change entries of any space. */
export const allSpaces = 0;

/** What lags behind the commits on some engines. */
export type CatchUp = 'journal' | 'sums';

export interface ReadDeclaration<Input> {
  /** What the engine must bring up to date before the verb reads. By default nothing. */
  catchUp?: CatchUp | ((input: Input) => CatchUp | null);
  /** What is read again and again: its results may be kept, by this key, until the next commit. Nobody may change them. */
  key?: ((input: Input) => string) | null;
}

export interface WriteDeclaration<Input, Result> {
  /** The number of the space that the verb changes, or `noSpace` or `allSpaces`. */
  space: (input: Input) => number;
  /** Verbs that share the lock of a space run at the same time. Such a verb only inserts rows, or locks the rows that it
   *  changes. Any other verb is exclusive: nothing else happens in its space meanwhile. */
  lock: 'shared' | 'exclusive';
  /** What the verb changes of the cached first pages of folders. */
  pages: 'unchanged' | 'all' | ((result: Result) => PageChange | null);
  /** The verb calls `pending` for every sum that it reads, so that the engine need not write sums before it. */
  readsPendingSums?: boolean;
  /** What two verbs of a batch must not share: a name in a folder, a file, a large content, an idempotency key. */
  claims?: (input: Input) => string[];
  /** How many numbered rows (entries, contents) the verb inserts at most. By default none. */
  newRows?: (input: Input) => number;
  /** Whether a commit wakes requests that wait for changes of the space. By default it does. */
  isAnnounced?: boolean;
  /** Nobody hurries: while other writes are frequent, an engine may wait a few milliseconds for one, to commit both together. */
  isPatient?: boolean;
}

export interface ReadVerb<Input, Result> extends Required<ReadDeclaration<Input>> {
  (input: Input): Verb<Result>;
  readonly kind: 'read';
}

export interface WriteVerb<Input, Result> extends Required<WriteDeclaration<Input, Result>> {
  (input: Input): Verb<Result>;
  readonly kind: 'write';
}

export function read<Input, Result>(
  declaration: ReadDeclaration<Input>,
  run: (input: Input) => Verb<Result>,
): ReadVerb<Input, Result> {
  return Object.assign(run, { kind: 'read', catchUp: catchUpNothing, key: null, ...declaration } as const);
}

export function write<Input, Result>(
  declaration: WriteDeclaration<Input, Result>,
  run: (input: Input) => Verb<Result>,
): WriteVerb<Input, Result> {
  return Object.assign(run, { kind: 'write', ...defaults, ...declaration } as const);
}

const defaults = {
  readsPendingSums: false,
  claims: claimNothing,
  newRows: addNoRows,
  isAnnounced: true,
  isPatient: false,
};

function claimNothing(): string[] {
  return [];
}

function addNoRows(): number {
  return 0;
}

function catchUpNothing(): null {
  return null;
}
