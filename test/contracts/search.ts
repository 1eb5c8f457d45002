// The contract of a search index as tests: every engine's own test file calls this with a way to open a catalog with an index.
// Pages, filters and the trash are tested through the operation, which asks the index and the catalog as callers do.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { actingForItself } from '../../src/domain/caller.ts';
import type { Cabinet } from '../../src/operations/cabinet.ts';
import { type SearchCursor, type SearchRequest, type SearchResult, search } from '../../src/operations/search.ts';
import { makeDocx } from '../../src/search/extract/documents-for-tests.ts';
import { catchUp, collect, type Room } from '../cluster/search-room.ts';
import { addApplication, asBlob, fileIn, folderIn, inline, type Registered, what } from './requests.ts';
import { testParts } from './search-parts.ts';
import { testQueries } from './search-queries.ts';

export interface SearchUnderTest extends Omit<Room, 'application'> {
  close(): Promise<void>;
}

const docxType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** One space of the index under test. */
export class Space {
  readonly room: Room;
  readonly application: Registered;
  readonly #cabinet: Cabinet;

  constructor(room: Room) {
    this.room = room;
    this.application = room.application;
    this.#cabinet = { catalog: room.catalog, search: room.search } as Partial<Cabinet> as Cabinet;
  }

  /** Saves a file of plain text, or of this type; saving over a name adds a version. */
  async save(name: string, content: string | Buffer, more: Parameters<typeof fileIn>[2] = {}): Promise<string> {
    const saved = fileIn(this.application, name, { content: inline(Buffer.from(content)), ...more });
    return (await this.room.catalog.saveFile(saved)).file.id;
  }

  async createFolder(name: string, more: Parameters<typeof folderIn>[2] = {}): Promise<string> {
    return (await this.room.catalog.createFolder(folderIn(this.application, name, more))).folder.id;
  }

  catchUp(): Promise<void> {
    return catchUp(this.room);
  }

  async search(q: string, more: Partial<SearchRequest> = {}) {
    const { appKey, name, access } = this.application;
    const identity = { appKey, actor: `app:${name}`, ...actingForItself, spaceId: null, requestId: 'r' };
    const caller = { ...identity, scopes: ['content.read' as const], spaces: access === null ? [] : [access] };
    const filter = { folderId: null, kind: null, contentType: null, modifiedAfter: null, properties: {} };
    return await search(this.#cabinet, caller, { ...filter, limit: 1000, after: null, text: q, ...more });
  }

  /** All pages. */
  async searchAll(q: string, more: Partial<SearchRequest> = {}): Promise<SearchResult[]> {
    const results: SearchResult[] = [];
    let after: SearchCursor | null = null;
    do {
      const page: Awaited<ReturnType<Space['search']>> = await this.search(q, { ...more, after });
      assert.ok(page.results.length <= (more.limit ?? 1000));
      results.push(...page.results);
      after = page.next;
    } while (after !== null);
    return results;
  }

  /** The names of all results, in order. */
  async find(q: string, more: Partial<SearchRequest> = {}): Promise<string[]> {
    return (await this.searchAll(q, more)).map(({ entry }) => entry.name);
  }

  /** Catches up, then checks what is found, in any order. */
  async finds(q: string, names: readonly string[], more: Partial<SearchRequest> = {}): Promise<void> {
    await this.catchUp();
    assert.deepEqual((await this.find(q, more)).toSorted(), names.toSorted(), q);
  }

  async purge(): Promise<void> {
    const { catalog } = this.room;
    for (const tree of await catalog.findHiddenTrees({})) {
      while (!(await catalog.purgeSlice({ ...tree, at: 1, request: 'r' })).isDone);
    }
  }
}

const unchanged = { name: null, parent: null, properties: null, objectType: null } as const;

export function testSearch(name: string, open: () => Promise<SearchUnderTest>): void {
  describe(`${name} keeps the contract of a search index`, () => {
    let under: SearchUnderTest;
    let spaces = 0;
    const openSpace = async () => {
      spaces += 1;
      return new Space({ ...under, application: await addApplication(under.catalog, `search-${spaces}`) });
    };
    before(async () => {
      under = await open();
    });
    after(() => under.close());

    it('finds entries by name, properties, object type and text', async () => {
      const space = await openSpace();
      await space.createFolder('Contracts', { properties: { Customer: 'Acme' }, objectType: 'legal:contract' });
      await space.save('notes.txt', 'alpha beta', { properties: { Status: 'paid' } });
      await space.finds('contracts', ['Contracts']);
      for (const q of ['customer', 'acme', 'legal']) await space.finds(q, ['Contracts']);
      for (const q of ['alpha', 'notes', 'paid', 'beta notes paid']) await space.finds(q, ['notes.txt']);
      await space.finds('cmis', []);
    });

    it('follows new names, folders, properties and versions', async () => {
      const space = await openSpace();
      const { catalog } = under;
      const id = await space.save('first.txt', 'alpha');
      const parent = await space.createFolder('target');
      await space.finds('alpha', ['first.txt']);
      const change = { space: space.application.space, id, ...unchanged, conflict: 'Fail' as const, ...what };
      await catalog.changeEntry({ ...change, name: { name: 'second.txt', nameKey: 'second.txt' } });
      await space.finds('first', []);
      await space.finds('second alpha', ['second.txt']);
      await catalog.changeEntry({ ...change, parent });
      await space.finds('alpha', ['second.txt']);
      assert.equal((await space.searchAll('alpha'))[0]?.path, '/target/second.txt');
      await catalog.changeEntry({ ...change, properties: { Key: 'gamma' } });
      await space.finds('gamma', ['second.txt']);
      await space.save('second.txt', 'delta', { folder: parent });
      await space.finds('alpha', []);
      await space.finds('delta gamma', ['second.txt']);
      await catalog.restoreVersion({ space: change.space, file: id, version: 1, keptVersions: null, ...what });
      await space.finds('delta', []);
      await space.finds('alpha', ['second.txt']);
    });

    it('hides trashed trees at once, shows restored ones at once, and forgets purged ones', async () => {
      const space = await openSpace();
      const { catalog, search: index } = under;
      const id = await space.createFolder('doomed');
      await space.save('inner.txt', 'doomed too', { folder: id });
      await space.finds('doomed', ['doomed', 'inner.txt']);
      const { documents } = await index.status();
      const removal = { space: space.application.space, id, ...what };
      await catalog.trashEntry(removal);
      assert.deepEqual(await space.find('doomed'), []);
      await space.finds('doomed', []);
      const { space: number } = space.application;
      await catalog.restoreEntry({ space: number, id, parent: null, name: null, conflict: 'Fail', ...what });
      assert.equal((await space.find('doomed')).length, 2);
      await catalog.removeEntry(removal);
      assert.deepEqual(await space.find('doomed'), []);
      await space.purge();
      await space.finds('doomed', []);
      assert.deepEqual(await collect(space.room, 'doomed'), [], 'the index has forgotten them');
      assert.equal((await index.status()).documents, documents - 2);
    });

    it('reads documents with a format, small and large; what it cannot read is found by name and reported', async () => {
      const space = await openSpace();
      const { skipped } = await under.search.status();
      const large = Buffer.concat([makeDocx(['inside'])]);
      const content = asBlob(large);
      under.blobs.set(content.blob as string, large);
      await space.save('large.docx', '', { contentType: docxType, content });
      await space.save('small.docx', makeDocx(['inside']), { contentType: docxType });
      await space.save('page.html', '<p>inside &eacute;cole', { contentType: 'text/html' });
      await space.save('plain.bin', 'inside', { contentType: 'application/octet-stream' });
      await space.save('broken.docx', makeDocx(['x']).subarray(0, 200), { contentType: docxType });
      await space.finds('inside', ['large.docx', 'small.docx', 'page.html']);
      await space.finds('broken', ['broken.docx']);
      const status = await under.search.status();
      assert.equal(status.skipped, skipped + 1);
      assert.ok(status.skippedEntries.some(({ reason }) => reason === 'it is damaged'));
      assert.deepEqual([status.waiting, status.walk], [0, null]);
    });

    it('ranks names before texts, more occurrences before fewer, and newer entries first among equals', async () => {
      const space = await openSpace();
      await space.save('twin 1.txt', 'word in a text');
      await space.save('once.txt', `one word and ${'other things '.repeat(50)}`);
      await space.save('often.txt', 'word word word and more');
      await space.save('word.txt', 'nothing');
      await space.save('twin 2.txt', 'word in a text');
      await space.catchUp();
      assert.deepEqual(await space.find('word'), ['word.txt', 'often.txt', 'twin 2.txt', 'twin 1.txt', 'once.txt']);
    });

    it('returns every match once in the same order, whatever the page size, also while entries are added', async () => {
      const space = await openSpace();
      const create = (from: number, to: number) =>
        Promise.all(
          Array.from({ length: to - from }, (_, index) => {
            const properties = { Text: `needle ${'x '.repeat((from + index) % 5)}` };
            return space.createFolder(`${(from + index) % 3 === 0 ? 'needle' : 'n'} ${from + index}`, { properties });
          }),
        );
      // More than one slice in each stage.
      await create(0, 1000);
      await space.catchUp();
      const all = await space.find('needle');
      assert.equal(new Set(all).size, 1000);
      assert.ok(all.slice(0, 334).every((name) => name.startsWith('needle')));
      assert.deepEqual(await space.find('needle', { limit: 70 }), all);
      const first = await space.search('needle', { limit: 400 });
      await create(1000, 1010);
      await space.catchUp();
      const rest: string[] = [];
      for (let after = first.next; after !== null; ) {
        const page = await space.search('needle', { limit: 100, after });
        rest.push(...page.results.map(({ entry }) => entry.name));
        after = page.next;
      }
      assert.deepEqual([...first.results.map(({ entry }) => entry.name), ...rest].slice(0, 334), all.slice(0, 334));
      const names = new Set(rest);
      assert.equal(names.size, rest.length, 'nothing is repeated');
      assert.ok(
        all.slice(400).every((name) => names.has(name)),
        'nothing is missed',
      );
    });

    it('returns the same slice again from where it began, and the next stage when one is empty', async () => {
      const space = await openSpace();
      const { search: index } = under;
      const { space: number } = space.application;
      for (let each = 0; each < 5; each += 1) await space.save(`${each}.txt`, 'needle');
      await space.catchUp();
      const query = index.parse('needle');
      const slice = await index.rank({ space: number, query, stage: 0, before: null });
      assert.deepEqual([slice.stage, slice.entries.length, slice.next], [1, 5, null]);
      await space.save('late.txt', 'needle');
      await space.catchUp();
      assert.deepEqual(await index.rank({ space: number, query, stage: slice.stage, before: slice.before }), slice);
      const named = await index.rank({ space: number, query: index.parse('late'), stage: 0, before: null });
      assert.deepEqual([named.stage, named.entries.length], [0, 1]);
    });

    it('filters by folder, kind, content type, time and properties', async () => {
      const space = await openSpace();
      const folderId = await space.createFolder('word folder');
      const properties = { Status: 'paid' };
      await space.save('deep.txt', 'word', { folder: folderId, at: what.at + 10_000 });
      await space.save('page.html', 'word', { contentType: 'text/html', properties });
      await space.finds('word', ['word folder', 'deep.txt', 'page.html']);
      await space.finds('word', ['deep.txt'], { folderId });
      await space.finds('word', ['word folder'], { kind: 'folder' });
      await space.finds('word', ['deep.txt', 'page.html'], { kind: 'file' });
      await space.finds('word', ['page.html'], { contentType: 'text/html' });
      await space.finds('word', ['deep.txt'], { modifiedAfter: what.at + 5000 });
      await space.finds('word', ['page.html'], { properties });
      await space.finds('word', [], { properties, kind: 'folder' });
    });

    it('keeps spaces apart: results, scores and snippets', async () => {
      const [one, other] = [await openSpace(), await openSpace()];
      await one.save('a.txt', 'secret of one');
      await other.save('b.txt', 'nothing');
      await one.catchUp();
      assert.deepEqual([await one.find('secret'), await other.find('secret')], [['a.txt'], []]);
      const [before] = await collect(one.room, 'secret');
      for (let each = 0; each < 20; each += 1) await other.save(`${each}.txt`, 'secret secret');
      await one.catchUp();
      assert.deepEqual(await collect(one.room, 'secret'), [before]);
      const query = under.search.parse('secret');
      const entries = [before?.entry ?? 0];
      const { space } = other.application;
      assert.deepEqual(await under.search.snippets({ space, query, entries }), ['']);
    });

    it('gives empty results for an empty space, an unknown one and an unknown word', async () => {
      const space = await openSpace();
      await space.catchUp();
      assert.deepEqual(await space.search('anything'), { results: [], next: null });
      const query = under.search.parse('anything');
      const slice = await under.search.rank({ space: 999_999, query, stage: 0, before: null });
      assert.deepEqual([slice.stage, slice.entries, slice.next], [1, [], null]);
      assert.deepEqual(await under.search.snippets({ space: 999_999, query, entries: [] }), []);
      await space.save('a.txt', 'something');
      await space.finds('anything', []);
    });

    testQueries(openSpace);

    testParts(openSpace);

    it('finds everything again after a rebuild, with the changes that were made meanwhile', async () => {
      const space = await openSpace();
      for (let each = 0; each < 30; each += 1) await space.save(`${each}.txt`, 'rebuilt');
      await space.save('a.docx', makeDocx(['rebuilt']), { contentType: docxType });
      await space.catchUp();
      const { documents } = await under.search.status();
      const expected = await space.find('rebuilt');
      assert.equal(expected.length, 31);
      await under.search.rebuild();
      await space.save('late.txt', 'rebuilt late');
      await space.catchUp();
      assert.deepEqual(await space.find('late'), ['late.txt']);
      assert.deepEqual((await space.find('rebuilt')).toSorted(), [...expected, 'late.txt'].toSorted());
      assert.equal((await under.search.status()).documents, documents + 1);
    });
  });
}
