// What can be done, as commands for fast-check: each asks the service and the model the same and compares their answers.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Entry, Envelope } from '../interface/assertions.ts';
import type { Answer, Headers } from '../interface/client.ts';
import { assertShown, type Shown } from '../interface/life.ts';
import { inOrder, ORDERS } from '../interface/order.ts';
import {
  always,
  type Choice,
  type Command,
  choice,
  choose,
  chooseEntry,
  comment,
  contentType,
  type Match,
  match,
  merging,
  name,
  objectType,
  optional,
  properties,
  step,
  tally,
  text,
} from './choices.ts';
import type { Behavior, Model, Node, Outcome } from './model.ts';
import type { Ending, World } from './world.ts';

/** The header, and whether it names the present state. */
function toCondition(how: string, etag: string): { header: string | undefined; isMatching: boolean } {
  const headers: Record<Match, string | undefined> = {
    none: undefined,
    right: `"x", ${etag}`,
    star: '*',
    wrong: '"wrong"',
    weak: `W/${etag}`,
  };
  return { header: headers[how as Match], isMatching: how !== 'wrong' && how !== 'weak' };
}

async function readEtag(world: World, node: Node, path: string): Promise<string> {
  if (!world.model.isVisible(node)) return '"none"';
  return String((await world.ask(`${path}`, { method: 'HEAD' })).headers.etag);
}

const json = { 'Content-Type': 'application/json' };

function post(world: World, path: string, fields: object, method = 'POST', headers: Headers = {}): Promise<Answer> {
  return world.ask(path, { method, headers: { ...json, ...headers }, body: JSON.stringify(fields) });
}

/** The behaviours that most commands know; Fail is not sent, for it is the default. */
function toField(behavior: Behavior): object {
  return behavior === 'Fail' ? {} : { ConflictBehavior: behavior };
}

function isDone<Result>(world: World, answer: Answer, outcome: Outcome<Result>): outcome is { done: Result } {
  const done = world.compareOutcome(answer, outcome);
  if (!done) tally.refused += 1;
  return done;
}

/** The answer shows the entry as the model has it. */
function compareAnswer(world: World, answer: Answer, node: Node): void {
  const shown = assertShown(answer);
  world.model.adoptName(node, shown.Entry.Name);
  if (!world.knows(node)) world.learn(node, shown.Entry.Id);
  world.compareShown(shown, node);
}

function compareEnvelope(world: World, answer: Answer, file: Node): void {
  const { Folder, Children } = JSON.parse(answer.body.toString()) as Envelope;
  const [first, ...others] = Children;
  assert.ok(first && file.parent);
  world.model.adoptName(file, first.Name);
  if (!world.knows(file)) world.learn(file, first.Id);
  world.compareRecord(first, file);
  world.compareRecord(Folder, file.parent);
  world.compareChildren(Children, file.parent);
  assert.deepEqual(others, inOrder(others, 'name'));
}

const createFolder = step(
  'createFolder',
  fc.record({
    into: choice('folders'),
    name,
    behavior: fc.constantFrom<Behavior>('Fail', 'Rename', 'Existing'),
    properties,
  }),
  async (world, { into, name: given, behavior, properties: some }) => {
    const parent = choose(world.model, into);
    const outcome = world.model.createFolder(parent, given, behavior, some);
    const fields = {
      ParentFolderId: world.idOf(parent),
      FolderName: given,
      Properties: some,
      ...toField(behavior),
    };
    const answer = await post(world, '/folders', fields);
    if (!isDone(world, answer, outcome)) return;
    const { Folder, Children } = JSON.parse(answer.body.toString()) as Envelope;
    world.model.adoptName(outcome.done, Folder.Name);
    if (!world.knows(outcome.done)) world.learn(outcome.done, Folder.Id);
    world.compareRecord(Folder, outcome.done);
    world.compareChildren(Children, outcome.done);
  },
);

const saveFile = step(
  'saveFile',
  fc.record({
    into: choice('folders'),
    saving: fc.record({ name, text, contentType, comment }),
    behavior: fc.constantFrom<Behavior>('Version', 'Version', 'Version', 'Fail', 'Rename', 'Existing'),
  }),
  async (world, { into, saving, behavior }) => {
    const parent = choose(world.model, into);
    // A header cannot say that the name is empty: it would be absent.
    const given = { ...saving, name: saving.name || '..' };
    const outcome = world.model.saveFile(parent, given, behavior);
    const headers = {
      FolderId: world.idOf(parent),
      FileName: encodeURIComponent(given.name),
      'Content-Type': given.contentType,
      Comment: given.comment === null ? undefined : encodeURIComponent(given.comment),
      ConflictBehavior: behavior === 'Version' ? undefined : behavior,
    };
    const answer = await world.ask('/files', { method: 'POST', headers, body: given.text });
    if (isDone(world, answer, outcome)) compareEnvelope(world, answer, outcome.done);
  },
);

const putContent = step(
  'putContent',
  fc.record({ file: choice('files'), text, contentType, comment, match }),
  async (world, { file, match: how, ...saving }) => {
    const node = choose(world.model, file);
    const path = `/files/${world.idOf(node)}/content`;
    const { header, isMatching } = toCondition(how, node.kind === 'file' ? await readEtag(world, node, path) : '"x"');
    const outcome = world.model.putContent(node, saving, isMatching);
    const headers = {
      'Content-Type': saving.contentType,
      Comment: saving.comment === null ? undefined : encodeURIComponent(saving.comment),
      'If-Match': header,
    };
    const answer = await world.ask(path, { method: 'PUT', headers, body: saving.text });
    if (!isDone(world, answer, outcome)) return;
    compareEnvelope(world, answer, node);
    world.compareShown(JSON.parse(answer.body.toString()) as Shown, node);
  },
);

const changeEntry = step(
  'changeEntry',
  fc.record({
    entry: choice('visible'),
    name: optional(name),
    into: optional(choice('folders')),
    properties: optional(merging),
    objectType: optional(objectType),
    behavior: always,
    match,
  }),
  async (world, { entry, into, behavior, match: how, ...fields }) => {
    const node = chooseEntry(world.model, entry);
    const target = into && choose(world.model, into);
    const path = `/entries/${world.idOf(node)}`;
    const { header, isMatching } = toCondition(how, await readEtag(world, node, path));
    const outcome = world.model.change(node, { ...fields, target }, behavior, isMatching);
    const sent = {
      Name: fields.name,
      ParentFolderId: target && world.idOf(target),
      Properties: fields.properties,
      ObjectType: fields.objectType,
      ...toField(behavior),
    };
    const answer = await post(world, path, sent, 'PATCH', { 'If-Match': header });
    if (isDone(world, answer, outcome)) compareAnswer(world, answer, node);
  },
);

const copyEntry = step(
  'copyEntry',
  fc.record({ entry: choice('visible'), into: choice('folders'), name: optional(name), behavior: always }),
  async (world, { entry, into, name: given, behavior }) => {
    const node = choose(world.model, entry);
    const target = choose(world.model, into);
    const outcome = world.model.copy(node, target, given, behavior);
    const fields = { ParentFolderId: world.idOf(target), Name: given, ...toField(behavior) };
    const answer = await post(world, `/entries/${world.idOf(node)}/copy`, fields);
    if (!isDone(world, answer, outcome)) return;
    compareAnswer(world, answer, outcome.done);
    if (outcome.done.kind === 'folder') await world.learnChildren(outcome.done);
  },
);

/** What was put into the trash, or removed: as it was. */
function compareTaken(world: World, answer: Answer, node: Node): void {
  const { Entry: entry, ETag } = assertShown(answer);
  assert.equal(entry.Id, world.idOf(node));
  assert.equal(ETag, world.etagOf(node) ?? ETag, 'the ETag changed by itself');
}

const trashEntry = step(
  'trashEntry',
  fc.record({ entry: choice('visible'), match }),
  async (world, { entry, match: how }) => {
    const node = chooseEntry(world.model, entry);
    const path = `/entries/${world.idOf(node)}`;
    const { header, isMatching } = toCondition(how, await readEtag(world, node, path));
    const outcome = world.model.trash(node, isMatching);
    const answer = await world.ask(path, { method: 'DELETE', headers: { 'If-Match': header } });
    if (isDone(world, answer, outcome)) compareTaken(world, answer, node);
  },
);

const restoreEntry = step(
  'restoreEntry',
  fc.record({ entry: choice('trashed'), into: optional(choice('folders')), name: optional(name), behavior: always }),
  async (world, { entry, into, name: given, behavior }) => {
    const node = chooseEntry(world.model, entry);
    const target = into && choose(world.model, into);
    const [nameBefore, parentBefore] = [node.name, node.former?.parent];
    const outcome = world.model.restore(node, { name: given, target }, behavior);
    const fields = { ParentFolderId: target && world.idOf(target), Name: given, ...toField(behavior) };
    const answer = await post(world, `/entries/${world.idOf(node)}/restore`, fields);
    if (!isDone(world, answer, outcome)) return;
    // Only the answer tells under which name it came back.
    world.model.adoptName(node, assertShown(answer).Entry.Name);
    if (node.name !== nameBefore || node.parent !== parentBefore) node.revision += 1;
    compareAnswer(world, answer, node);
  },
);

const removeEntry = step(
  'removeEntry',
  fc.record({ entry: fc.oneof(choice('visible'), choice('trashed')), match }),
  async (world, { entry, match: how }) => {
    const node = chooseEntry(world.model, entry);
    const etag = world.etagOf(node);
    const { header, isMatching } = toCondition(how === 'right' && etag === null ? 'none' : how, etag ?? '"none"');
    const outcome = world.model.remove(node, isMatching);
    const path = `/entries/${world.idOf(node)}?permanent=true`;
    const answer = await world.ask(path, { method: 'DELETE', headers: { 'If-Match': header } });
    if (isDone(world, answer, outcome)) compareTaken(world, answer, node);
  },
);

const emptyTrash = step('emptyTrash', fc.constant({}), async (world) => {
  const outcome = world.model.emptyTrash();
  const answer = await world.ask('/trash', { method: 'DELETE' });
  if (isDone(world, answer, outcome)) assert.deepEqual(JSON.parse(answer.body.toString()), { Removed: outcome.done });
});

const version = fc.record({ file: choice('files'), index: fc.nat(9) });

/** One that the file has, mostly: an index of 9 is that of one which it has not. */
function chooseVersion(model: Model, { file, index }: { file: Choice; index: number }): { node: Node; number: number } {
  const node = choose(model, file);
  return { node, number: node.versions[index === 9 ? -1 : index % node.versions.length]?.number ?? 9 };
}

const restoreVersion = step('restoreVersion', version, async (world, chosen) => {
  const { node, number } = chooseVersion(world.model, chosen);
  const outcome = world.model.restoreVersion(node, number);
  const answer = await world.ask(`/files/${world.idOf(node)}/versions/${number}/restore`, { method: 'POST' });
  if (isDone(world, answer, outcome)) await show(world, node);
});

const removeVersion = step('removeVersion', version, async (world, chosen) => {
  const { node, number } = chooseVersion(world.model, chosen);
  const outcome = world.model.removeVersion(node, number);
  const answer = await world.ask(`/files/${world.idOf(node)}/versions/${number}`, { method: 'DELETE' });
  if (isDone(world, answer, outcome)) await world.compareVersions(node);
});

const commentVersion = step(
  'commentVersion',
  fc.record({ version, comment }),
  async (world, { version: chosen, comment: said }) => {
    const { node, number } = chooseVersion(world.model, chosen);
    const outcome = world.model.commentVersion(node, number, said);
    const path = `/files/${world.idOf(node)}/versions/${number}`;
    const answer = await post(world, path, { Comment: said }, 'PATCH');
    if (isDone(world, answer, outcome)) await world.compareVersions(node, '?limit=2');
  },
);

const list = step(
  'list',
  fc.record({ folder: choice('folders'), order: fc.constantFrom(...ORDERS), limit: fc.integer({ min: 1, max: 4 }) }),
  async (world, { folder, order, limit }) => {
    const node = choose(world.model, folder);
    if (node.kind === 'file' || !world.model.isVisible(node)) return;
    const listed = await world.list<Entry>(`/folders/${world.idOf(node)}?order=${order}&limit=${limit}`, 'Children');
    world.compareChildren(listed, node);
    assert.deepEqual(listed, inOrder(listed, order));
  },
);

async function show(world: World, node: Node): Promise<void> {
  const answer = await world.ask(`/entries/${world.idOf(node)}`);
  const outcome = world.model.isVisible(node) ? { done: node } : { refused: ['EntryNotFound'] };
  if (isDone(world, answer, outcome)) compareAnswer(world, answer, node);
}

const look = step('look', fc.record({ entry: choice('all') }), async (world, { entry }) => {
  const node = choose(world.model, entry);
  await show(world, node);
  if (!world.model.isVisible(node)) return;
  const what = node.kind === 'folder' ? 'folders' : 'files';
  const answer = await world.ask(`/${what}?path=${encodeURIComponent(world.pathOf(node))}`);
  const { Entry: entryByPath, Folder } = JSON.parse(answer.body.toString()) as Shown & Envelope;
  world.compareRecord(entryByPath ?? Folder, node);
});

const lookAtTrash = step('lookAtTrash', fc.constant({}), (world) => world.compareTrash());
const follow = step('follow', fc.constant({}), (world) => world.compareFollowed());
const compareAll = step('compareAll', fc.constant({}), (world) => world.compareAll());
const restart = (everyMs: number) =>
  step('restart', fc.constantFrom<Ending>('SIGTERM', 'SIGKILL', 'restored'), (world, ending) =>
    world.service.restart(ending, everyMs),
  );

/** A sequence begins with some of these: without entries nearly everything is refused. */
export const beginning = fc.array(fc.oneof(createFolder, saveFile, saveFile), { minLength: 1, maxLength: 5 });

export function anyCommand(restartEveryMs: number): fc.Arbitrary<Command> {
  const weighted: [number, fc.Arbitrary<Command>][] = [
    [40, createFolder],
    [60, saveFile],
    [30, putContent],
    [60, changeEntry],
    [30, copyEntry],
    [40, trashEntry],
    [40, restoreEntry],
    [15, removeEntry],
    [5, emptyTrash],
    [20, restoreVersion],
    [20, removeVersion],
    [10, commentVersion],
    [25, list],
    [20, look],
    [10, lookAtTrash],
    [25, follow],
    [5, compareAll],
    [4, restart(restartEveryMs)],
  ];
  return fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}
