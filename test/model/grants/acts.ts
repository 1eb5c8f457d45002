// What people do in a sequence: each act is sent to the service, over REST or WebDAV, and its outcome must be the model's.

import fc from 'fast-check';
import { type Act, act, folders, isDone, movable, pick, pickFor, refuseTarget, type Sequence, see } from './act.ts';
import { same } from './faces.ts';
import { linkActs, make } from './link-acts.ts';
import type { GrantRole, Kind, Model, Node } from './model.ts';
import { groups, people, type Reply, read } from './world.ts';

function add(title: string, kind: Kind, isByApplication = false) {
  return act(title, async ({ space, model }, { who: some, number, name }) => {
    const who = isByApplication ? 'app' : some;
    const folder = pickFor(model, who, folders(model), number);
    if (folder === undefined) return;
    const refused = refuseTarget(model, folder, who);
    const taken = model.isTaken(folder, name) ? 'NameAlreadyExists' : 'done';
    const conflict = { ConflictBehavior: 'Fail' };
    const headers = {
      FolderId: folder.id,
      FileName: encodeURIComponent(name),
      'Content-Type': 'text/plain',
      ...conflict,
    };
    const answer = await (kind === 'folder'
      ? space.json(who, 'POST', '/folders', { ParentFolderId: folder.id, FolderName: name, ...conflict })
      : space.ask(who, '/files', { method: 'POST', headers, body: `text of ${name}` }));
    if (!isDone(answer, [refused ?? taken], `${who} adds ${name} to ${folder.name}`)) return;
    const { Folder, Children } = read<{ Folder: { Id: string }; Children: { Id: string }[] }>(answer);
    model.add(kind === 'folder' ? Folder.Id : (Children[0]?.Id ?? ''), kind, name, folder);
  });
}

const putContent = act('put content', async ({ space, model }, { who, number }) => {
  const file = pickFor(
    model,
    who,
    model.nodes.filter(({ kind }) => kind === 'file'),
    number,
  );
  if (file === undefined) return;
  const view = see(model, file, who);
  const expected = view === null ? 'FileNotFound' : view.role === 'editor' ? 'done' : 'Forbidden';
  const answer = await space.ask(who, `/files/${file.id}/content`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/plain' },
    body: `text ${number}`,
  });
  isDone(answer, [expected], `${who} saves ${file.name}`);
});

const rename = act('rename', async ({ space, model }, { who, number, name }) => {
  const node = pickFor(model, who, movable(model), number);
  if (node === undefined) return;
  const view = see(model, node, who);
  const isTaken = node.parent !== null && model.isTaken(node.parent, name, node);
  const allowed = view?.role === 'editor' ? (isTaken ? 'NameAlreadyExists' : 'done') : 'Forbidden';
  const answer = await space.json(who, 'PATCH', `/entries/${node.id}`, { Name: name });
  if (isDone(answer, [view === null ? 'EntryNotFound' : allowed], `${who} renames ${node.name}`)) node.name = name;
});

function refuseMove(model: Model, node: Node, to: Node, who: string): string {
  const view = see(model, node, who);
  if (view === null) return 'EntryNotFound';
  if (view.role !== 'editor' || view.parentRole !== 'editor') return 'Forbidden';
  const refused = refuseTarget(model, to, who);
  if (refused !== null) return refused;
  if (model.isWithin(to, node)) return 'InvalidMove';
  return model.isTaken(to, node.name, node) ? 'NameAlreadyExists' : 'done';
}

const move = act('move', async ({ space, model }, { who, number, target }) => {
  const [node, to] = [pickFor(model, who, movable(model), number), pickFor(model, who, folders(model), target)];
  if (node === undefined || to === undefined) return;
  const answer = await space.json(who, 'PATCH', `/entries/${node.id}`, {
    ParentFolderId: to.id,
    ConflictBehavior: 'Fail',
  });
  if (isDone(answer, [refuseMove(model, node, to, who)], `${who} moves ${node.name} to ${to.name}`))
    model.move(node, to);
});

const moveBatch = act('move by batch', async ({ space, model }, { who, number, target }) => {
  const [node, to] = [pickFor(model, who, movable(model), number), pickFor(model, who, folders(model), target)];
  if (node === undefined || to === undefined) return;
  const fields = { Action: 'move', EntryIds: [node.id], ParentFolderId: to.id, ConflictBehavior: 'Fail' };
  const expected = refuseMove(model, node, to, who);
  const [result] = read<{ Results: { Error?: { Code: string } }[] }>(
    await space.json(who, 'POST', '/entries/batch', fields),
  ).Results;
  same(result?.Error?.Code ?? 'done', expected, `${who} moves ${node.name} to ${to.name} by batch`);
  if (expected === 'done') model.move(node, to);
});

const copy = act('copy', async (sequence, { who, number, target, name }) => {
  const { space, model } = sequence;
  const [node, to] = [pickFor(model, who, model.nodes, number), pickFor(model, who, folders(model), target)];
  if (node === undefined || to === undefined || model.isWithin(to, node) || model.nodes.length > 30) return;
  const expected: string[] = [];
  if (see(model, node, who) === null) expected.push('EntryNotFound');
  else if (who !== 'app' && !model.maySomewhere(who)) {
    // A grant of an earlier sequence counts until what was removed is purged: then the right to copy is looked at first.
    expected.push('Forbidden', refuseTarget(model, to, who) ?? 'Forbidden');
  } else {
    const isTaken = model.isTaken(to, name);
    const allowed = isTaken ? 'NameAlreadyExists' : 'done';
    expected.push(refuseTarget(model, to, who) ?? allowed);
  }
  const fields = { ParentFolderId: to.id, Name: name, ConflictBehavior: 'Fail' };
  const answer = await space.json(who, 'POST', `/entries/${node.id}/copy`, fields);
  if (!isDone(answer, expected, `${who} copies ${node.name} to ${to.name}`)) return;
  const { Entry } = read<{ Entry: { Id: string } }>(answer);
  await learn(sequence, model.add(Entry.Id, node.kind, name, to));
});

/** What is in a copied folder: the same names, without grants. */
async function learn(sequence: Sequence, folder: Node): Promise<void> {
  if (folder.kind === 'file') return;
  type Listed = { Children: { Id: string; Name: string; Type: string }[] };
  const { Children } = read<Listed>(await sequence.space.ask('app', `/folders/${folder.id}?limit=1000`));
  for (const { Id, Name, Type } of Children) {
    await learn(sequence, sequence.model.add(Id, Type === 'folder' ? 'folder' : 'file', Name, folder));
  }
}

const trash = act('trash', async ({ space, model }, { who, number }) => {
  const node = pickFor(model, who, movable(model), number);
  if (node === undefined) return;
  const view = see(model, node, who);
  const isAllowed = view?.role === 'editor' && view.parentRole === 'editor';
  const answer = await space.ask(who, `/entries/${node.id}`, { method: 'DELETE' });
  const expected = view === null ? 'EntryNotFound' : isAllowed ? 'done' : 'Forbidden';
  if (isDone(answer, [expected], `${who} trashes ${node.name}`)) model.trash(node);
});

const restore = act('restore', async ({ space, model }, { who, number, target }) => {
  const node = pickFor(
    model,
    who,
    model.nodes.filter(({ isTrashTop, isRemoved }) => isTrashTop && !isRemoved),
    number,
  );
  const to = target % 2 === 0 ? node?.former : pickFor(model, who, folders(model), target);
  if (node === undefined || to === undefined || to === null) return;
  const view = see(model, node, who, true);
  const isAllowed = view?.role === 'editor' && view.parentRole === 'editor';
  const isTaken = model.isTaken(to, node.name);
  const isBack = target % 2 === 0;
  const refused = isBack ? (model.isThere(to) ? null : 'FolderNotFound') : refuseTarget(model, to, who);
  const isInItself = model.isWithin(to, node);
  const outcome = refused ?? (isInItself ? 'InvalidMove' : isTaken ? 'NameAlreadyExists' : 'done');
  const fields = { ConflictBehavior: 'Fail', ...(!isBack && { ParentFolderId: to.id }) };
  const answer = await space.json(who, 'POST', `/entries/${node.id}/restore`, fields);
  const expected = view === null ? 'EntryNotFound' : isAllowed ? outcome : 'Forbidden';
  if (isDone(answer, [expected], `${who} restores ${node.name}`)) model.move(node, to);
});

const remove = act('remove', async ({ space, model }, { who, number }) => {
  const node = pickFor(
    model,
    who,
    movable(model).filter((one) => one.isTrashTop || !model.isTrashed(one)),
    number,
  );
  if (node === undefined) return;
  const view = see(model, node, who, true);
  const isAllowed = view?.role === 'editor' && view.parentRole === 'editor';
  const answer = await space.ask(who, `/entries/${node.id}?permanent=true`, { method: 'DELETE' });
  const expected = view === null ? 'EntryNotFound' : isAllowed ? 'done' : 'Forbidden';
  if (isDone(answer, [expected], `${who} removes ${node.name}`)) model.remove(node);
});

const grant = (roles: readonly (GrantRole | null)[]) =>
  act(roles[0] === null ? 'revoke' : 'grant', async ({ space, model }, { who, number, target }) => {
    const node = pick(model.nodes, number);
    const principals = [...people.map((name) => `user:${name}`), ...groups.map((name) => `group:${name}`)];
    const held = model.nodes.flatMap((one) => [...one.grants.keys()]);
    const all = roles[0] === null && node !== undefined && node.grants.size > 0 ? [...node.grants.keys()] : principals;
    const principal = all[(target + held.length) % all.length] ?? '';
    const role = roles[target % roles.length] ?? null;
    if (node === undefined) return;
    const path = `/entries/${node.id}/access/${encodeURIComponent(principal)}`;
    // Mostly somebody who may.
    const actor = number % 5 === 0 ? who : 'app';
    const isManager = actor === 'app' || model.roles.get(actor) === 'manager';
    const isKnown = !principal.startsWith('group:') || model.groups.has(principal.slice('group:'.length));
    const seen = see(model, node, actor);
    const answer = await (role === null
      ? space.ask(actor, path, { method: 'DELETE' })
      : space.json(actor, 'PUT', path, { Role: role }));
    const allowed = isKnown ? 'done' : 'GroupNotFound';
    const expected = seen === null ? 'EntryNotFound' : isManager ? allowed : 'Forbidden';
    if (!isDone(answer, [expected], `${actor} grants ${role} on ${node.name} to ${principal}`)) return;
    if (role === null) node.grants.delete(principal);
    else node.grants.set(principal, role);
  });

const changeGroup = act('group', async ({ space, model }, { who, number, target }) => {
  const name = groups[number % groups.length] as string;
  const person = people[target % people.length] as string;
  const actor = number % 7 === 0 ? who : 'app';
  const members = model.groups.get(name);
  if (members === undefined) {
    const answer = await space.json(actor, 'POST', '/groups', { Name: name, Members: [person] });
    if (isManaging(model, actor, answer, 'done', `${actor} adds the group ${name}`))
      model.groups.set(name, new Set([person]));
  } else if (target % 9 === 0) {
    const answer = await space.ask(actor, `/groups/${name}`, { method: 'DELETE' });
    if (isManaging(model, actor, answer, 'done', `${actor} removes the group ${name}`)) model.removeGroup(name);
  } else {
    const isIn = members.has(person);
    const answer = await space.json(actor, 'PATCH', `/groups/${name}`, isIn ? { Remove: [person] } : { Add: [person] });
    if (!isManaging(model, actor, answer, 'done', `${actor} changes the group ${name}`)) return;
    if (isIn) members.delete(person);
    else members.add(person);
  }
});

function isManaging(model: Model, who: string, answer: Reply, allowed: string, what: string): boolean {
  if (who === 'app' || model.roles.get(who) === 'manager') return isDone(answer, [allowed], what);
  const isInside = model.roles.has(who) || model.isGuest(who);
  return isDone(answer, isInside ? ['Forbidden'] : ['Forbidden', 'SpaceNotFound'], what);
}

const changeRole = act('role', async ({ space, model, replicas }, { number, target }) => {
  const person = people[number % people.length] as string;
  const role = ([null, null, 'viewer', 'editor', 'manager'] as const)[target % 5] ?? null;
  await space.setRole(person, role);
  if (role === null) model.roles.delete(person);
  else model.roles.set(person, role);
  replicas.forget(person);
});

const davMove = act('move over WebDAV', async ({ space, model }, { who, number, target, name }) => {
  if (who === 'app') return;
  const [node, to] = [pickFor(model, who, movable(model), number), pickFor(model, who, folders(model), target)];
  if (node === undefined || to === undefined || !hasOnePath(model, who)) return;
  const [from, into] = [model.see(node, who), model.see(to, who)];
  if (from === null || into === null || model.isWithin(to, node) || model.isTaken(to, name)) return;
  const url = (path: string) => `/dav/${space.name}${path.split('/').map(encodeURIComponent).join('/')}`;
  const headers = { Destination: url(`${into.path}/${name}`), Overwrite: 'F' };
  const { status } = await space.place.send(space.callerOf(who), url(from.path), { method: 'MOVE', headers });
  const isAllowed = from.role === 'editor' && from.parentRole === 'editor' && into.role === 'editor';
  same(status, isAllowed ? 201 : 403, `${who} moves ${from.path} into ${into.path} over WebDAV`);
  if (!isAllowed) return;
  model.move(node, to);
  node.name = name;
});

/** Where two of the shared entries have one name, their paths are numbered: these are compared, but not used. */
function hasOnePath(model: Model, who: string): boolean {
  const paths = model.seenBy(who).map((node) => model.see(node, who)?.path);
  return new Set(paths).size === paths.length;
}

const look = act('look', async (sequence, { number }) => {
  const who = people[number % people.length] as string;
  await sequence.faces.compareAll(who);
  await sequence.links.compareAll();
  await sequence.replicas.compare(who);
});

const weighted: readonly [number, fc.Arbitrary<Act>][] = [
  [6, add('add a folder', 'folder')],
  [5, add('save', 'file')],
  [2, putContent],
  [3, rename],
  [7, move],
  [3, moveBatch],
  [3, copy],
  [6, trash],
  [5, restore],
  [2, remove],
  [14, grant(['viewer', 'editor'])],
  [4, grant([null])],
  [6, changeGroup],
  [3, changeRole],
  [3, davMove],
  ...linkActs,
  [10, look],
];

/** A sequence begins with a small tree, some grants and links. */
export const beginning = fc
  .tuple(
    fc.array(fc.oneof(add('begin with a folder', 'folder', true), add('begin with a file', 'file', true)), {
      minLength: 4,
      maxLength: 7,
    }),
    fc.array(grant(['viewer', 'editor']), { minLength: 1, maxLength: 3 }),
    fc.array(make, { minLength: 1, maxLength: 3 }),
  )
  .map(([tree, grants, links]) => [tree, [...grants, ...links]] as const);

export const anyAct = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })));
