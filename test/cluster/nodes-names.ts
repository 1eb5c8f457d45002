// Many at once on three nodes, on one name, one key or in one tree: exactly one wins, nobody is lost, and every sum is exact
// afterwards.

import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { assertEnvelope, assertRefusal, type Entry } from '../interface/assertions.ts';
import {
  type Answer,
  type Caller,
  createFolder,
  download,
  listFolder,
  makeFolder,
  postFile,
  postFolder,
  saveFile,
  toSaved,
} from '../interface/client.ts';
import {
  askRemove,
  change,
  copy,
  listTrash,
  listVersions,
  put,
  readTree,
  remove,
  restore,
  show,
  trash,
} from '../interface/life.ts';
import { get } from '../interface/managing.ts';
import { eventually } from '../service/service.ts';
import { sized } from '../size.ts';
import { addCaller, at, everyScope } from './nodes.ts';
import { all, ground } from './three-nodes.ts';

const crowdSize = sized(18, 45);
const largeRepeats = 35_000;

export function testNames(): void {
  describe('Concurrent requests on three nodes', () => {
    let on: [Caller, Caller, Caller];
    let main: Caller;

    before(async () => {
      main = await addCaller(all[0], 'names', ...everyScope);
      on = all.map((node) => at(main, node)) as typeof on;
    });

    /** So many requests at once, to the nodes in turn. */
    function crowd<Result>(
      ask: (caller: Caller, index: number) => Promise<Result>,
      size = crowdSize,
    ): Promise<Result[]> {
      return Promise.all(Array.from({ length: size }, (_, index) => ask(on[index % 3] as Caller, index)));
    }

    /** Large contents can be read on every node only where there is S3. */
    function bytesOf(index: number): string {
      return `${index} `.repeat(ground.s3 !== null && index % 5 === 0 ? largeRepeats : 1 + index);
    }

    function won(answers: readonly Answer[]): Answer[] {
      return answers.filter(({ status }) => status === 200);
    }

    it('Twins with one Idempotency-Key on different nodes make one file, and all get the same result', async () => {
      for (const body of [bytesOf(0), bytesOf(1)]) {
        const folder = await makeFolder(main);
        const headers = {
          FolderId: folder.Id,
          FileName: 'twin',
          ConflictBehavior: 'Rename',
          'Idempotency-Key': randomUUID(),
        };
        const answers = await crowd((caller) => postFile(caller, headers, body));
        const files = answers.map((answer) => toSaved(answer).File);
        for (const file of files) assert.deepEqual(file, files[0]);
        const replayed = answers.filter((answer) => answer.headers['idempotency-replayed'] === 'true');
        assert.equal(replayed.length, crowdSize - 1);
        assert.deepEqual(await listFolder(main, folder.Id), [files[0]]);
      }
    });

    it('Twins with one Idempotency-Key on different nodes make one folder', async () => {
      const folder = await makeFolder(main);
      const fields = { ParentFolderId: folder.Id, FolderName: 'twin', ConflictBehavior: 'Rename' };
      const key = { 'Idempotency-Key': randomUUID() };
      const answers = await crowd((caller) => postFolder(caller, fields, key));
      assert.equal(new Set(answers.map((answer) => assertEnvelope(answer).Folder.Id)).size, 1);
      assert.equal((await listFolder(main, folder.Id)).length, 1);
    });

    it('One key with different requests on different nodes has the effect of one, and the others are refused', async () => {
      const folder = await makeFolder(main);
      const key = { 'Idempotency-Key': randomUUID() };
      const answers = await crowd((caller, index) =>
        postFile(caller, { FolderId: folder.Id, FileName: `${index}`, ...key }, 'bytes'),
      );
      assert.equal(won(answers).length, 1);
      for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, 400, 'IdempotencyKeyReused');
      assert.equal((await listFolder(main, folder.Id)).length, 1);
    });

    it('One name saved concurrently on all nodes is one file with versions 1 to n, each with the bytes of one save', async () => {
      const folder = await makeFolder(main);
      const saved = await crowd(async (caller, index) => {
        return (await saveFile(caller, { FolderId: folder.Id, FileName: 'a' }, bytesOf(index))).File;
      });
      assert.equal(new Set(saved.map(({ Id }) => Id)).size, 1);
      const [file, ...others] = await listFolder(main, folder.Id);
      assert.deepEqual(others, []);
      const versions = await listVersions(on[1], (file as Entry).Id, '?limit=1000');
      assert.deepEqual(
        versions.map(({ Version }) => Version),
        Array.from({ length: crowdSize }, (_, index) => crowdSize - index),
      );
      const sent = Array.from({ length: crowdSize }, (_, index) => hash('sha256', bytesOf(index)));
      assert.deepEqual(versions.map(({ Sha256 }) => Sha256).sort(), sent.sort());
      const [newest] = versions;
      for (const caller of on) {
        const { Entry, Version, Sha256 } = await show(caller, (file as Entry).Id);
        assert.deepEqual([Version, Sha256, Entry.Size], [crowdSize, newest?.Sha256, newest?.Size]);
        assert.equal(hash('sha256', await download(caller, Entry.Id)), newest?.Sha256);
        assert.equal((await show(caller, folder.Id)).Entry.Size, newest?.Size);
      }
    });

    it('New versions by id on all nodes get distinct numbers without gaps', async () => {
      const folder = await makeFolder(main);
      const { File } = await saveFile(main, { FolderId: folder.Id, FileName: 'a' }, 'first');
      const answered = await crowd((caller, index) => put(caller, File.Id, `bytes ${index}`));
      const numbers = answered.map(({ Version }) => Version as number).sort((a, b) => a - b);
      assert.deepEqual(
        numbers,
        Array.from({ length: crowdSize }, (_, index) => index + 2),
      );
      const versions = await listVersions(main, File.Id, '?limit=1000');
      for (const { Version, Sha256 } of answered) {
        assert.equal(versions.find((version) => version.Version === Version)?.Sha256, Sha256);
      }
    });

    it('Of many saves with Fail on all nodes one wins, and its bytes stay', async () => {
      const folder = await makeFolder(main);
      const headers = { FolderId: folder.Id, FileName: 'a', ConflictBehavior: 'Fail' };
      const answers = await crowd((caller, index) => postFile(caller, headers, `bytes ${index}`));
      assert.equal(won(answers).length, 1);
      const winner = answers.findIndex(({ status }) => status === 200);
      const { File } = toSaved(answers[winner] as Answer);
      for (const answer of answers) {
        if (answer.status !== 200) assert.deepEqual(assertRefusal(answer, 400, 'NameAlreadyExists').Conflicts, [File]);
      }
      assert.equal((await download(on[2], File.Id)).toString(), `bytes ${winner}`);
    });

    it('Saves with Rename on all nodes each get their own name and bytes', async () => {
      const folder = await makeFolder(main);
      const headers = { FolderId: folder.Id, FileName: 'a.pdf', ConflictBehavior: 'Rename' };
      const files = await crowd(
        async (caller, index) => toSaved(await postFile(caller, headers, `bytes ${index}`)).File,
      );
      assert.equal(new Set(files.map(({ Name }) => Name)).size, crowdSize);
      for (const [index, { Id, Name }] of files.entries()) {
        assert.match(Name, /^a( \(\d+\))?\.pdf$/);
        assert.equal((await download(on[index % 3] as Caller, Id)).toString(), `bytes ${index}`);
      }
      assert.equal((await listFolder(main, folder.Id)).length, crowdSize);
    });

    it('Saves with Existing on all nodes get one file, with the bytes of the first', async () => {
      const folder = await makeFolder(main);
      const headers = { FolderId: folder.Id, FileName: 'a', ConflictBehavior: 'Existing' };
      const files = await crowd(
        async (caller, index) => toSaved(await postFile(caller, headers, `bytes ${index}`)).File,
      );
      for (const file of files) assert.deepEqual(file, files[0]);
      assert.equal((await listVersions(main, (files[0] as Entry).Id)).length, 1);
    });

    it('Of many creations of one folder on all nodes one wins; with Existing all get it; with Rename all are different', async () => {
      const parent = await makeFolder(main);
      const make = (ConflictBehavior: string) =>
        crowd((caller) => postFolder(caller, { ParentFolderId: parent.Id, FolderName: 'a', ConflictBehavior }));
      const failing = await make('Fail');
      assert.equal(won(failing).length, 1);
      const { Folder } = assertEnvelope(won(failing)[0] as Answer);
      for (const answer of failing) {
        if (answer.status !== 200)
          assert.deepEqual(assertRefusal(answer, 400, 'NameAlreadyExists').Conflicts, [Folder]);
      }
      for (const answer of await make('Existing')) assert.equal(assertEnvelope(answer).Folder.Id, Folder.Id);
      const renamed = (await make('Rename')).map((answer) => assertEnvelope(answer).Folder);
      assert.equal(new Set(renamed.map(({ Name }) => Name)).size, crowdSize);
      assert.equal((await listFolder(main, parent.Id)).length, 1 + crowdSize);
    });

    it('A folder and a file that race for a name on different nodes never share it', async () => {
      const parent = await makeFolder(main);
      const answers = await crowd((caller, index) =>
        index % 2 === 0
          ? postFolder(caller, { ParentFolderId: parent.Id, FolderName: 'a' })
          : postFile(caller, { FolderId: parent.Id, FileName: 'a' }, `${index}`),
      );
      for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, 400, 'NameAlreadyExists');
      const [entry, ...others] = await listFolder(main, parent.Id);
      assert.deepEqual(others, []);
      assert.deepEqual([...new Set(won(answers).map(({ headers }) => headers.entryid))], [entry?.Id]);
    });

    it('Folder sizes and usage are exact after heavy concurrent load on all nodes', async () => {
      const top = await makeFolder(main);
      const places = [top];
      for (const parent of [0, 0, 1, 3])
        places.push(await createFolder(main, (places[parent] as Entry).Id, `${places.length}`));
      const before = await readUsage(main);
      await crowd(
        async (caller, index) => {
          const place = places[index % places.length] as Entry;
          const { File } = await saveFile(caller, { FolderId: place.Id, FileName: `${index}` }, bytesOf(index));
          if (index % 3 === 0) await put(caller, File.Id, bytesOf(index + 1));
          const target = places[(index * 7) % places.length] as Entry;
          if (index % 4 === 1) await change(caller, File.Id, { ParentFolderId: target.Id, Name: `moved ${index}` });
          if (index % 6 === 2) await trash(caller, File.Id);
          if (index % 12 === 2) await restore(caller, File.Id);
          if (index % 10 === 4) await askRemove(caller, File.Id);
        },
        sized(36, 60),
      );
      await assertSizes(top);
      const versions = await Promise.all((await filesBeneath(top)).map(({ Id }) => listVersions(main, Id)));
      const kept = versions.flat().reduce((sum, { Size }) => sum + Size, 0);
      const trashed = (await listTrash(main)).reduce((sum, { Entry }) => sum + Entry.Size, 0);
      // What is in the trash has one version each, but those that were saved twice.
      const expected = kept + trashed + (await trashedTwice());
      for (const caller of on) {
        // What is removed for good is taken apart in the background, and counted until then.
        await eventually('usage is exact', async () => (await readUsage(caller)).Bytes - before.Bytes === expected);
        assert.equal((await readUsage(caller)).TrashBytes, trashed);
      }
    });

    async function trashedTwice(): Promise<number> {
      const names = (await listTrash(main)).map(({ Entry }) => Entry.Name.replace('moved ', ''));
      const twice = names.map(Number).filter((index) => index % 3 === 0);
      return twice.reduce((sum, index) => sum + bytesOf(index).length, 0);
    }

    async function readUsage(caller: Caller): Promise<{ Bytes: number; Entries: number; TrashBytes: number }> {
      return (await get<{ Space: { Bytes: number; Entries: number; TrashBytes: number } }>(caller, '/usage')).Space;
    }

    async function filesBeneath({ Id }: Entry): Promise<Entry[]> {
      return [...(await readTree(main, Id)).values()].filter(({ Type }) => Type === 'file');
    }

    /** On every node, every folder of the tree is as large as the files beneath it. */
    async function assertSizes(top: Entry): Promise<void> {
      const tree = await readTree(main, top.Id);
      const folders = [['', top] as const, ...tree].filter(([, { Type }]) => Type === 'folder');
      for (const [path, { Id }] of folders) {
        const beneath = [...tree].filter(([inner, { Type }]) => Type === 'file' && inner.startsWith(`${path}/`));
        const bytes = beneath.reduce((sum, [, { Size }]) => sum + Size, 0);
        for (const caller of on) assert.equal((await show(caller, Id)).Entry.Size, bytes, path);
      }
    }

    it('An entry trashed on one node can be restored on another and deleted permanently on a third', async () => {
      const folder = await makeFolder(main);
      const inner = await createFolder(on[0], folder.Id, 'inner');
      const { File } = await saveFile(on[1], { FolderId: inner.Id, FileName: 'a' }, bytesOf(5));
      await trash(on[0], inner.Id);
      for (const caller of on)
        assert.equal((await listTrash(caller)).filter(({ Entry }) => Entry.Id === inner.Id).length, 1);
      const restored = await Promise.allSettled(on.map((caller) => restore(caller, inner.Id)));
      assert.equal(restored.filter(({ status }) => status === 'fulfilled').length, 1, 'it is restored once');
      assert.equal((await download(on[2], File.Id)).length, bytesOf(5).length);
      await assertSizes(folder);
      await remove(on[2], inner.Id);
      for (const caller of on) assert.deepEqual(await listFolder(caller, folder.Id), []);
      await assertSizes(folder);
    });

    it('A tree that is copied on one node while others save into it is copied completely', async () => {
      const top = await makeFolder(main);
      const source = await createFolder(main, top.Id, 'source');
      const inner = await createFolder(main, source.Id, 'inner');
      await crowd((caller, index) =>
        saveFile(caller, { FolderId: inner.Id, FileName: `old ${index}` }, `old ${index}`),
      );
      const [copies] = await Promise.all([
        Promise.all(
          [0, 1].map((index) =>
            copy(on[index] as Caller, source.Id, { ParentFolderId: top.Id, Name: `copy ${index}` }),
          ),
        ),
        crowd((caller, index) => saveFile(caller, { FolderId: inner.Id, FileName: `new ${index}` }, `new ${index}`)),
        crowd((caller, index) => saveFile(caller, { FolderId: inner.Id, FileName: `old ${index}` }, `newer ${index}`)),
      ]);
      const tree = await readTree(on[2], top.Id);
      for (const { Path, Entry } of copies) {
        const name = Path.split('/').at(-1);
        for (let index = 0; index < crowdSize; index += 1) {
          const file = tree.get(`/${name}/inner/old ${index}`);
          assert.ok(file, `old ${index} is not in ${name}`);
          const text = (await download(on[index % 3] as Caller, file.Id)).toString();
          assert.ok([`old ${index}`, `newer ${index}`].includes(text), text);
        }
        assert.ok(Entry.Size > 0);
      }
      await assertSizes(top);
    });
  });
}
