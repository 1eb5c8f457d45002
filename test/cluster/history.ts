// Compares the responses that clients got with the final state. The journal has what happened and in which order: it is replayed,
// row by row, beside requests and responses. Pure: `faults.ts` collects the input.

import { type Change, type JournalKey, keyOfLink, toLink } from '../../src/domain/chain.ts';
import { replay } from './history-replay.ts';

/** `done`: answered with 200. `refused`: answered with 400 to 404, so it must not have happened. `unknown`: an answer of 500, or
 *  none; it may have happened or not. */
export type Outcome = 'done' | 'refused' | 'unknown';

export type Action = 'save' | 'folder' | 'change' | 'trash' | 'restore' | 'remove';

/** One request of a client. */
export interface Attempt {
  /** The tracking id that it carried. */
  request: string;
  /** Requests that ask for the same thing, again or at once, have the same number. */
  deed: number;
  action: Action;
  hasKey: boolean;
  /** Milliseconds of one clock. */
  sentAt: number;
  answeredAt: number | null;
  outcome: Outcome;
  params: { parent?: string; name?: string; entry?: string; sha256?: string; behavior?: string };
  /** What a 200 said. */
  result?: { entry: string; name?: string; version?: number };
}

/** A file was read: its bytes had this digest; null: it was not found. */
export interface Read {
  entry: string;
  sha256: string | null;
  sentAt: number;
  answeredAt: number;
}

export interface JournalRow extends Change {
  position: number;
  link: string;
}

export interface FoundEntry {
  id: string;
  parent: string;
  name: string;
  type: 'folder' | 'file';
  size: number;
  /** Of files, oldest first. `read`: the digest of the bytes that came, null where they were not fetched. */
  versions: { version: number; size: number; sha256: string; read: string | null }[];
}

export interface History {
  attempts: Attempt[];
  reads: Read[];
  /** The positions that each follower of the feed got, in order. */
  followers: number[][];
}

/** What is there once all is over, and nothing is in the trash. */
export interface Found {
  /** Of all spaces, in the order of the table. */
  journal: JournalRow[];
  keys: readonly JournalKey[];
  space: number;
  /** The work began behind this position. */
  after: number;
  /** The folder in which all of it happened. */
  top: string;
  entries: FoundEntry[];
  topSize: number;
  usage: { entries: number; bytes: number };
}

/** `lost`: answered and not there. `duplicate`: there more often than requested. `name`, `version`, `size`, `feed`, `journal`: the
 *  promise of that name is broken. `contradiction`: a response or a change that is impossible. */
export type Kind = 'lost' | 'duplicate' | 'name' | 'version' | 'size' | 'feed' | 'journal' | 'contradiction';

export interface Problem {
  kind: Kind;
  what: string;
}

export type Tell = (kind: Kind, what: string) => void;

const feedActions = /^(folder\.created|file\.(created|saved|changed)|entry\.(changed|trashed|restored|removed))$/;

export function check(history: History, found: Found): Problem[] {
  const problems: Problem[] = [];
  const tell: Tell = (kind, what) => problems.push({ kind, what });
  checkChain(found, tell);
  const rows = found.journal.filter(({ space, position, action }) => {
    return space === found.space && position > found.after && feedActions.test(action);
  });
  const deeds = new Deeds(history.attempts, rows);
  checkDeeds(deeds, rows, tell);
  checkOrder(deeds, rows, tell);
  checkFollowers(history.followers, rows, tell);
  checkNames(found, tell);
  checkSizes(found, tell);
  replay({ deeds, rows, found, reads: history.reads }, tell);
  return problems;
}

/** Attempts by their tracking ids and by their deeds. */
export class Deeds {
  readonly byRequest: Map<string, Attempt>;
  readonly byDeed: Map<number, Attempt[]>;
  readonly #happened: Map<number | undefined, JournalRow[]>;

  constructor(attempts: readonly Attempt[], rows: readonly JournalRow[]) {
    this.byRequest = new Map(attempts.map((attempt) => [attempt.request, attempt]));
    this.byDeed = Map.groupBy(attempts, ({ deed }) => deed);
    this.#happened = Map.groupBy(rows, ({ request }) => this.byRequest.get(request)?.deed);
  }

  /** When what this attempt did was first known to be done; null: never. An answer to another attempt speaks of it too, unless that
   *  one did something of its own. */
  answeredAt(attempt: Attempt): number | null {
    const isOnce = this.#happened.get(attempt.deed)?.length === 1;
    const attempts = isOnce ? (this.byDeed.get(attempt.deed) ?? []) : [attempt];
    const done = attempts.filter(({ outcome, answeredAt }) => outcome === 'done' && answeredAt !== null);
    return done.length === 0 ? null : Math.min(...done.map(({ answeredAt }) => answeredAt as number));
  }
}

function checkChain({ journal, keys }: Found, tell: Tell): void {
  let before = '';
  for (const [index, row] of journal.entries()) {
    if (row.position !== index + 1) {
      tell('journal', `position ${index + 1} is missing or comes again: ${row.position} stands there`);
      return;
    }
    const key = keys.find(({ id }) => id === keyOfLink(row.link)) ?? null;
    if (toLink(before, row.position, row, key) !== row.link) tell('journal', `the link of ${row.position} is wrong`);
    before = row.link;
  }
}

/** Every deed that was answered happened, once; what was refused did not happen; nothing happened that was not requested. */
function checkDeeds(deeds: Deeds, rows: readonly JournalRow[], tell: Tell): void {
  const byRequest = Map.groupBy(rows, ({ request }) => request);
  for (const [request, of] of byRequest) {
    const attempt = deeds.byRequest.get(request);
    const what = of.map(({ position, action }) => `${action} at ${position}`).join(', ');
    if (attempt === undefined) tell('contradiction', `not requested: ${what}`);
    else if (attempt.outcome === 'refused')
      tell('contradiction', `${show(attempt)} was refused, and happened: ${what}`);
    if (of.length > 1) tell('duplicate', `one request did ${what}`);
  }
  const byEntry = Map.groupBy(rows, ({ entry }) => entry);
  for (const attempts of deeds.byDeed.values()) {
    const [first] = attempts as [Attempt];
    const what = `${show(first)}, requested ${attempts.length} times`;
    const happened = attempts.flatMap(({ request }) => byRequest.get(request) ?? []);
    const isDone = attempts.some(({ outcome }) => outcome === 'done');
    if (isDone && happened.length === 0 && !mayChangeNothing(first, byEntry))
      tell('lost', `${what} and answered, never happened`);
    if (first.hasKey && happened.length > 1) {
      tell('duplicate', `${what}, happened at ${happened.map(({ position }) => position).join(' and ')}`);
    }
    checkTold(attempts, happened, tell);
  }
}

/** Someone else's entry may be what is answered. Whoever gives an entry the name that it has changes nothing. */
function mayChangeNothing({ action, params }: Attempt, byEntry: Map<string, JournalRow[]>): boolean {
  if (params.behavior === 'Existing') return true;
  if (action !== 'change') return false;
  return byEntry.get(params.entry ?? '')?.some((row) => toDetails(row).name === params.name) === true;
}

function checkTold(attempts: readonly Attempt[], happened: readonly JournalRow[], tell: Tell): void {
  for (const attempt of attempts) {
    const { result, request, params } = attempt;
    if (result === undefined || happened.length === 0 || params.behavior === 'Existing') continue;
    if (!happened.some(({ entry }) => entry === result.entry)) {
      tell('contradiction', `${show(attempt)} was answered as ${result.entry}`);
    }
    const row = happened.find((one) => one.request === request);
    if (row === undefined) continue;
    const { name, version } = toDetails(row);
    if (result.name !== undefined && result.name !== name)
      tell('contradiction', `${result.name} is ${name} at ${row.position}`);
    if (result.version !== undefined && result.version !== version) {
      tell('version', `version ${result.version} was answered, ${version} is at ${row.position}`);
    }
  }
}

function toDetails({ details }: JournalRow): { name?: string; version?: number } {
  return JSON.parse(details) as { name?: string; version?: number };
}

/** A change that was answered before another was requested stands before it. */
function checkOrder(deeds: Deeds, rows: readonly JournalRow[], tell: Tell): void {
  let earliest = { answeredAt: Number.POSITIVE_INFINITY, position: 0 };
  for (const row of rows.toReversed()) {
    const attempt = deeds.byRequest.get(row.request);
    if (attempt === undefined) continue;
    if (earliest.answeredAt < attempt.sentAt) {
      tell('feed', `${row.position} was requested after ${earliest.position} was answered, and stands before it`);
    }
    const answeredAt = deeds.answeredAt(attempt) ?? Number.POSITIVE_INFINITY;
    if (answeredAt < earliest.answeredAt) earliest = { answeredAt, position: row.position };
  }
}

/** A follower gets every change, once, in the order of the journal. */
function checkFollowers(followers: readonly number[][], rows: readonly JournalRow[], tell: Tell): void {
  const expected = rows.map(({ position }) => position);
  for (const [index, positions] of followers.entries()) {
    const wrong = expected.findIndex((position, at) => positions[at] !== position);
    if (wrong >= 0) tell('feed', `follower ${index} got ${positions[wrong]} instead of ${expected[wrong]}`);
    else if (positions.length > expected.length)
      tell('feed', `follower ${index} also got ${positions[expected.length]}`);
  }
}

function checkNames({ entries }: Found, tell: Tell): void {
  const places = Map.groupBy(entries, ({ parent, name }) => `${parent} ${name.normalize('NFC')}`);
  for (const same of places.values()) {
    if (same.length > 1) tell('name', `${same.length} entries of one folder are named ${same[0]?.name}`);
  }
}

/** Folders are as large as the files beneath them; usage is of all versions. */
function checkSizes({ entries, top, topSize, usage }: Found, tell: Tell): void {
  const children = Map.groupBy(entries, ({ parent }) => parent);
  const sum = (folder: string): number => {
    const sizes = children.get(folder)?.map(({ id, type, size }) => {
      if (type === 'file') return size;
      const beneath = sum(id);
      if (beneath !== size) tell('size', `folder ${id} has ${beneath} bytes beneath it, and says ${size}`);
      return beneath;
    });
    return sizes?.reduce((total, size) => total + size, 0) ?? 0;
  };
  const total = sum(top);
  if (total !== topSize) tell('size', `${total} bytes are there, the folder above all says ${topSize}`);
  const versions = entries.flatMap((entry) => entry.versions);
  const bytes = versions.reduce((all, { size }) => all + size, 0);
  if (usage.bytes !== bytes) tell('size', `all versions have ${bytes} bytes, usage says ${usage.bytes}`);
  if (usage.entries !== entries.length)
    tell('size', `there are ${entries.length} entries, usage says ${usage.entries}`);
}

export function show({ action, params }: Attempt): string {
  return `${action} ${params.name ?? params.entry ?? ''}`;
}
