import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry, FolderPage } from '@cabinet/client';
import { toComparison } from './entry-order.ts';
import {
  addPage,
  beginListed,
  type EntryUpdate,
  entryAt,
  findMissing,
  isWhole,
  type Listed,
  placeEntries,
  positionOf,
  settle,
  type Wanted,
} from './stretches.ts';

const compare = toComparison('name');
const folder = { Id: 'folder', Type: 'folder', Name: 'Folder' } as Entry;
const folderCount = 2;

function toName(position: number): string {
  return String(position).padStart(5, '0');
}

function toEntry(name: string): Entry {
  const type = Number(name) < folderCount ? 'folder' : 'file';
  return { Id: `id ${name}`, Type: type, Name: name } as Entry;
}

/** What the service has; pages are cut from it as it cuts them, with the neighbour's name as the cursor. */
class Service {
  names: string[];

  constructor(count: number) {
    this.names = Array.from({ length: count }, (_, position) => toName(position));
  }

  page(wanted: Wanted | null, limit: number): FolderPage {
    const from = this.#toStart(wanted, limit);
    const to = wanted?.way === 'previous' ? this.#before(wanted.cursor) : Math.min(this.names.length, from + limit);
    const names = this.names.slice(from, to);
    const next = to < this.names.length ? (names.at(-1) ?? null) : null;
    const previous = wanted !== null && wanted.way !== 'next' && from > 0 ? (names[0] ?? null) : null;
    const Children = names.map(toEntry);
    return { Folder: folder, Children, childCount: this.names.length, next, previous };
  }

  #before(cursor: string): number {
    return this.names.filter((name) => name < cursor).length;
  }

  #toStart(wanted: Wanted | null, limit: number): number {
    if (wanted === null) return 0;
    if (wanted.way === 'next') return this.names.filter((name) => name <= wanted.cursor).length;
    if (wanted.way === 'previous') return Math.max(0, this.#before(wanted.cursor) - limit);
    return wanted.offset < 0 ? Math.max(0, this.names.length + wanted.offset) : wanted.offset;
  }
}

/** Loads until the rows are there; returns how many pages that took. */
function show(listed: Listed, service: Service, first: number): { listed: Listed; pages: number } {
  let pages = 0;
  for (let now = listed; ; pages += 1) {
    assert.ok(pages < 20, 'loads for ever');
    const wanted = findMissing(now, { first, last: first + 20 });
    if (wanted === null) return { listed: now, pages };
    now = addPage(now, wanted, service.page(wanted, wanted.way === 'jump' ? 200 : 1000), compare);
  }
}

/** Everything that is loaded is where the service has it. */
function assertRight({ stretches, total }: Listed, { names }: Service): void {
  assert.equal(total, names.length);
  for (const { start, entries } of stretches) {
    assert.deepEqual(
      entries.map(({ Name }) => Name),
      names.slice(start, start + entries.length),
    );
  }
}

function update(entry: Entry, isGone = false): Map<string, EntryUpdate> {
  return new Map([[entry.Id, { id: entry.Id, entry: isGone ? null : entry, parent: isGone ? null : folder.Id }]]);
}

test('Any position is shown after a few pages, and nothing else is loaded', () => {
  const service = new Service(100_000);
  let listed = beginListed(service.page(null, 200));
  for (const first of [99_979, 50_000, 99_000, 30_000, 0, 201, 98_400]) {
    const shown = show(listed, service, first);
    listed = shown.listed;
    assert.ok(shown.pages <= 3, `${first} took ${shown.pages} pages`);
    for (let row = first; row <= first + 20; row += 1) assert.equal(entryAt(listed, row)?.Name, toName(row));
    assertRight(listed, service);
  }
  const loaded = listed.stretches.reduce((sum, { entries }) => sum + entries.length, 0);
  assert.ok(loaded < 15_000, `${loaded} are loaded`);
  assert.equal(isWhole(listed), false);
});

test('Where nothing is missing, nothing is loaded', () => {
  const service = new Service(150);
  const listed = beginListed(service.page(null, 200));
  assert.equal(isWhole(listed), true);
  assert.equal(findMissing(listed, { first: 130, last: 149 }), null);
});

test('Stretches that meet become one, and the list is whole when all have met', () => {
  const service = new Service(2500);
  let { listed } = show(beginListed(service.page(null, 200)), service, 2479);
  assert.equal(listed.stretches.length, 2);
  for (let page = 0; page < 4; page += 1) {
    const cursor = listed.stretches[0]?.next;
    if (cursor) listed = addPage(listed, { way: 'next', cursor }, service.page({ way: 'next', cursor }, 1000), compare);
  }
  assert.equal(isWhole(listed), true);
  assertRight(listed, service);
});

test('A page that was asked for by a cursor which no stretch has any more changes nothing', () => {
  const service = new Service(3000);
  const listed = beginListed(service.page(null, 200));
  const wanted: Wanted = { way: 'next', cursor: toName(700) };
  const after = addPage(listed, wanted, service.page(wanted, 1000), compare);
  assert.deepEqual(after, listed);
});

test('Changes before a stretch move it, changes within it stand in order, and both count', () => {
  const service = new Service(5000);
  let { listed } = show(beginListed(service.page(null, 200)), service, 4979);
  listed = show(listed, service, 2500).listed;
  for (const name of ['00010', '02500', '04990']) {
    service.names = service.names.filter((one) => one !== name);
    listed = placeEntries(listed, update(toEntry(name), true), compare);
    assertRight(listed, service);
  }
  for (const name of ['00010x', '02500x', '04999x']) {
    service.names = [...service.names, name].sort();
    listed = placeEntries(listed, update(toEntry(name)), compare);
    assertRight(listed, service);
    assert.equal(positionOf(listed, `id ${name}`), service.names.indexOf(name));
  }
});

test('An entry that moves into a gap still counts, and moves what is after it', () => {
  const service = new Service(5000);
  let { listed } = show(beginListed(service.page(null, 200)), service, 4979);
  const renamed = { ...toEntry('00010'), Name: '03000x' };
  service.names = [...service.names.filter((name) => name !== '00010'), '03000x'].sort();
  listed = placeEntries(listed, update(renamed), compare);
  assertRight(listed, service);
  assert.equal(positionOf(listed, renamed.Id), -1);
});

test('After changes that are not known of, the next number of entries puts the last stretch where it is', () => {
  const service = new Service(5000);
  let { listed } = show(beginListed(service.page(null, 200)), service, 4979);
  service.names = service.names.filter((name) => name < '01000' || name >= '01010');
  listed = settle(folder, service.names.length, listed.stretches);
  assertRight(listed, service);
  listed = show(listed, service, 3000).listed;
  assertRight(listed, service);
});

test('When everything of a stretch is gone, the gap is loaded again', () => {
  const service = new Service(5000);
  let { listed } = show(beginListed(service.page(null, 200)), service, 4979);
  const end = listed.stretches.at(-1)?.entries ?? [];
  service.names = service.names.slice(0, 5000 - end.length);
  listed = placeEntries(listed, new Map(end.map(({ Id }) => [Id, { id: Id, entry: null, parent: null }])), compare);
  assert.equal(listed.stretches.length, 1);
  listed = show(listed, service, service.names.length - 20).listed;
  assertRight(listed, service);
});
