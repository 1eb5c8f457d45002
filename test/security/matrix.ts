// The matrix of routes and callers: the request of each route, and the callers. The lines of the tables are written by
// hand, because a route must not decide what is expected of it.

import {
  type Answer,
  type Caller,
  CONTENT,
  createFolder,
  fetchToken,
  identity,
  type Request,
  saveFile,
  send,
} from '../interface/client.ts';
import { put, trash } from '../interface/life.ts';
import { filePart, MULTIPART, multipart } from '../interface/multipart.ts';
import { addApplication, addUser, command, setRole } from '../service/operator.ts';
import { addCaller, type Registered } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { accountLines } from './account-lines.ts';
import { grantLines } from './grant-lines.ts';
import { type Managed, makeManaged, managingLines } from './managing-lines.ts';
import { addPage, discover, signIn } from './people.ts';
import { addIssued, fetchBound, through } from './server-applications.ts';
import { makeShare, shareLines } from './share-lines.ts';
import { sendTls, type Tls } from './tls-client.ts';
import { makeUpload, uploadLines } from './upload-lines.ts';

/** An entry of each kind, and what is managed. */
export interface Ids {
  folder: string;
  file: string;
  upload: string;
  /** Of a link to the file. */
  share: string;
  managed: Managed;
}

export interface ContentLine {
  /** Behind /v1/contentmanagement. */
  path(ids: Ids): string;
  request(ids: Ids): Request;
  /** Makes what the request takes away, in the space of the caller. */
  prepare?(caller: Caller, ids: Ids): Promise<Ids>;
  /** What it says of an id that is not the caller's; null: it takes none. */
  missing:
    | `${'Folder' | 'File' | 'Entry' | 'Space' | 'Application' | 'Group' | 'User' | 'Share' | 'Upload' | 'Webhook'}NotFound`
    | null;
  /** No application may do it for itself. */
  isForPeople?: boolean;
  /** Nobody else sees what an application, or a person with it, has made. */
  isForMaker?: boolean;
  /** Others than its maker see it, and only managers change it. */
  isForMakerAndManagers?: boolean;
  /** Every person may do it, whatever their role. */
  isForEveryRole?: boolean;
  /** What callers are told who may do it. */
  refusal?: { status: number; code: string };
  /** It ends the sign-in of the person who asks. */
  endsSignIn?: boolean;
  /** What a success is, where it is not 200, and to HEAD. */
  success?: number;
  headSuccess?: number;
}

const json = { 'Content-Type': 'application/json' };

async function addFile(caller: Caller, ids: Ids): Promise<Ids> {
  const at = { FolderId: ids.folder, FileName: 'to be taken away', ConflictBehavior: 'Rename' };
  return { ...ids, file: (await saveFile(caller, at, 'first')).File.Id };
}

/** Routes that need credentials, by method and path. */
export const contentLines: Record<string, ContentLine> = {
  [`POST ${CONTENT}/folders`]: {
    path: () => '/folders',
    request: ({ folder }) => ({
      headers: json,
      body: JSON.stringify({ ParentFolderId: folder, FolderName: 'matrix' }),
    }),
    missing: 'FolderNotFound',
  },
  [`GET ${CONTENT}/folders/{id}`]: {
    path: ({ folder }) => `/folders/${folder}`,
    request: () => ({}),
    missing: 'FolderNotFound',
  },
  [`GET ${CONTENT}/folders`]: { path: () => '/folders?path=/', request: () => ({}), missing: null },
  [`GET ${CONTENT}/files`]: { path: () => '/files?path=/folder/file', request: () => ({}), missing: null },
  [`GET ${CONTENT}/entries/{id}`]: {
    path: ({ file }) => `/entries/${file}`,
    request: () => ({}),
    missing: 'EntryNotFound',
  },
  [`GET ${CONTENT}/entries/{id}/locks`]: {
    path: ({ file }) => `/entries/${file}/locks`,
    request: () => ({}),
    missing: 'EntryNotFound',
  },
  [`POST ${CONTENT}/files`]: {
    path: () => '/files',
    request: ({ folder }) => ({ headers: { FolderId: folder, FileName: 'matrix.txt' }, body: 'x' }),
    missing: 'FolderNotFound',
  },
  [`POST ${CONTENT}/files/batch`]: {
    path: () => '/files/batch',
    request: ({ folder }) => ({
      headers: { FolderId: folder, 'Content-Type': MULTIPART },
      body: multipart([filePart('x', { fileName: 'matrix.txt' })]),
    }),
    missing: 'FolderNotFound',
  },
  [`GET ${CONTENT}/files/{id}/content`]: {
    path: ({ file }) => `/files/${file}/content`,
    request: () => ({}),
    missing: 'FileNotFound',
  },
  [`GET ${CONTENT}/files/{id}/thumbnail`]: {
    path: ({ file }) => `/files/${file}/thumbnail`,
    request: () => ({}),
    missing: 'FileNotFound',
    refusal: { status: 404, code: 'NoThumbnail' },
  },
  [`GET ${CONTENT}/files/{id}/preview`]: {
    path: ({ file }) => `/files/${file}/preview`,
    request: () => ({}),
    missing: 'FileNotFound',
    refusal: { status: 404, code: 'NoPreview' },
  },
  [`GET ${CONTENT}/folders/{id}/archive`]: {
    path: ({ folder }) => `/folders/${folder}/archive`,
    request: () => ({}),
    missing: 'FolderNotFound',
  },
  [`POST ${CONTENT}/archive`]: {
    path: () => '/archive',
    request: ({ folder, file }) => ({ headers: json, body: JSON.stringify({ EntryIds: [folder, file] }) }),
    missing: 'EntryNotFound',
  },
  [`POST ${CONTENT}/entries/batch`]: {
    path: () => '/entries/batch',
    request: () => ({ headers: json, body: JSON.stringify({ Action: 'trash', EntryIds: ['unknown'] }) }),
    missing: null,
    // Each entry has an answer of its own.
    isForEveryRole: true,
  },
  [`GET ${CONTENT}/jobs/{id}`]: {
    path: () => '/jobs/unknown',
    request: () => ({}),
    missing: null,
    refusal: { status: 404, code: 'JobNotFound' },
  },
  [`POST ${CONTENT}/files/{id}/link`]: {
    path: ({ file }) => `/files/${file}/link`,
    request: () => ({ headers: json, body: '{"ExpiresInSeconds": 5}' }),
    missing: 'FileNotFound',
  },
  [`DELETE ${CONTENT}/files/{id}/link`]: {
    path: ({ file }) => `/files/${file}/link`,
    request: () => ({}),
    missing: 'FileNotFound',
  },
  [`PUT ${CONTENT}/files/{id}/content`]: {
    path: ({ file }) => `/files/${file}/content`,
    request: () => ({ body: 'matrix' }),
    missing: 'FileNotFound',
  },
  [`PATCH ${CONTENT}/entries/{id}`]: {
    path: ({ file }) => `/entries/${file}`,
    request: () => ({ headers: json, body: '{"Properties":{"matrix":"x"}}' }),
    missing: 'EntryNotFound',
  },
  [`POST ${CONTENT}/entries/{id}/copy`]: {
    path: ({ file }) => `/entries/${file}/copy`,
    request: ({ folder }) => ({ headers: json, body: JSON.stringify({ ParentFolderId: folder }) }),
    missing: 'EntryNotFound',
  },
  [`DELETE ${CONTENT}/entries/{id}`]: {
    path: ({ file }) => `/entries/${file}`,
    request: () => ({}),
    prepare: addFile,
    missing: 'EntryNotFound',
  },
  [`POST ${CONTENT}/entries/{id}/restore`]: {
    path: ({ file }) => `/entries/${file}/restore`,
    request: () => ({}),
    prepare: async (caller, ids) => {
      const added = await addFile(caller, ids);
      await trash(caller, added.file);
      return added;
    },
    missing: 'EntryNotFound',
  },
  [`GET ${CONTENT}/trash`]: { path: () => '/trash', request: () => ({}), missing: null },
  [`DELETE ${CONTENT}/trash`]: { path: () => '/trash', request: () => ({}), missing: null },
  [`GET ${CONTENT}/files/{id}/versions`]: {
    path: ({ file }) => `/files/${file}/versions`,
    request: () => ({}),
    missing: 'FileNotFound',
  },
  [`POST ${CONTENT}/files/{id}/versions/{version}/restore`]: {
    path: ({ file }) => `/files/${file}/versions/1/restore`,
    request: () => ({}),
    missing: 'FileNotFound',
  },
  [`PATCH ${CONTENT}/files/{id}/versions/{version}`]: {
    path: ({ file }) => `/files/${file}/versions/1`,
    request: () => ({ headers: json, body: '{"Comment":"matrix"}' }),
    missing: 'FileNotFound',
  },
  [`DELETE ${CONTENT}/files/{id}/versions/{version}`]: {
    path: ({ file }) => `/files/${file}/versions/1`,
    request: () => ({}),
    prepare: async (caller, ids) => {
      const added = await addFile(caller, ids);
      await put(caller, added.file, 'second');
      return added;
    },
    missing: 'FileNotFound',
  },
  [`GET ${CONTENT}/changes`]: { path: () => '/changes', request: () => ({}), missing: null },
  [`GET ${CONTENT}/search`]: { path: () => '/search?q=matrix', request: () => ({}), missing: null },
  ...uploadLines,
  ...accountLines,
  ...grantLines,
  ...shareLines,
  ...managingLines,
};

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

export function askOpen(method: string, path: string): { path: string; request: Request } {
  const request = method === 'POST' ? { method, headers: form } : { method };
  return { path: path.replace('{uid}', 'nothing'), request };
}

export interface Actor {
  address: 'plain' | 'mutualTls';
  send(path: string, request: Request): Promise<Answer>;
  /** People only. */
  signInAgain?(): Promise<void>;
}

export interface World {
  service: StartedHere;
  left: Caller;
  right: Caller;
  own: Ids;
  foreign: Ids;
  disabled: Caller;
  /** What is theirs alone in an answer: it must not be in one to `left`. */
  foreignNames: string[];
  actors: Record<ActorName, Actor>;
}

export const actorNames = [
  'the application itself',
  'no token',
  'an invalid token',
  'no AppKey',
  'another application’s AppKey',
  'another space',
  'content.read alone',
  'content.write alone',
  'an application with content.admin',
  'a viewer',
  'an editor',
  'a manager',
  'a disabled application',
  'a client application on the mutual-TLS address',
  'a server application on the plain address',
  'a production token on the test address',
  'a test token on the production address',
] as const;
export type ActorName = (typeof actorNames)[number];

export async function makeWorld(dataFolder: string): Promise<World> {
  const environment = { CABINET_TEST_PORT: '0', CABINET_MTLS_PORT: '0' } as const;
  const service = await startServiceHere(dataFolder, { environment });
  const left = await addCaller(dataFolder, service.production, 'left');
  const right = await addCaller(dataFolder, service.production, 'far-side');
  const disabled = await addCaller(dataFolder, service.production, 'disabled');
  await command(dataFolder, 'app disable', { application: 'disabled' });
  const own = await makeEntries(left, await addAdministrator(dataFolder, left));
  const foreign = await makeEntries(right, await addAdministrator(dataFolder, right));
  const world = { service, left, right, disabled, own, foreign };
  return {
    ...world,
    foreignNames: [
      foreign.folder,
      foreign.file,
      foreign.upload,
      foreign.share,
      foreign.managed.application,
      foreign.managed.space,
      right.application.RootFolderId,
      'far-side',
    ],
    actors: await makeActors(dataFolder, world),
  };
}

async function addAdministrator(dataFolder: string, { base, application: { Space } }: Caller): Promise<Caller> {
  const scopes = 'content.read content.write content.admin';
  const name = `${Space}-administrator`;
  const application = { Name: name, ...(await addApplication(dataFolder, name, { space: Space, scopes })) };
  return { base, application, token: await fetchToken(base, application) };
}

async function makeEntries(caller: Caller, administrator: Caller): Promise<Ids> {
  const folder = await createFolder(caller, caller.application.RootFolderId, 'folder');
  const { File } = await saveFile(caller, { FolderId: folder.Id, FileName: 'file' }, caller.application.Name);
  return {
    folder: folder.Id,
    file: File.Id,
    upload: await makeUpload(caller),
    share: await makeShare(caller, File.Id),
    managed: await makeManaged(administrator),
  };
}

async function makeActors(
  dataFolder: string,
  { service, left, right, disabled, own }: Omit<World, 'actors' | 'foreignNames'>,
): Promise<World['actors']> {
  const { production } = service;
  const test = String(service.test);
  const server = await addServer(dataFolder, service);
  const tester = await addTester(dataFolder, test);
  const showing = server.application.tls;
  const page = await addPage(dataFolder, 'page');
  const enter = (user: string, role: string, headers: Request['headers'] = {}) =>
    enterAs(dataFolder, { base: production, page, user, role }, headers);
  const narrowed = async (scope: string) => ({ ...left, token: await fetchToken(production, left.application, scope) });
  return {
    'the application itself': asCaller(left),
    'no token': asCaller(left, { Authorization: undefined }),
    'an invalid token': asCaller({ ...left, token: `${left.token.slice(0, -9)}AAAAAAAAA` }),
    'no AppKey': asCaller(left, { AppKey: undefined }),
    'another application’s AppKey': asCaller(left, { AppKey: right.application.AppKey }),
    'another space': asCaller(own.managed.administrator),
    'content.read alone': asCaller(await narrowed('content.read')),
    'content.write alone': asCaller(await narrowed('content.write')),
    'an application with content.admin': asCaller(own.managed.administrator),
    'a viewer': await enter('vera', 'viewer'),
    'an editor': await enter('eddy', 'editor'),
    // The manager makes other spaces on the way.
    'a manager': await enter('mona', 'manager', { SpaceId: own.managed.space }),
    'a disabled application': asCaller(disabled),
    'a client application on the mutual-TLS address': asTls(left, String(service.mutualTls), showing),
    'a server application on the plain address': asCaller({ ...server, base: production }),
    'a production token on the test address': asCaller({ ...left, base: test }),
    'a test token on the production address': asCaller({ ...tester, base: production }),
  };
}

function asCaller(caller: Caller, other: Request['headers'] = {}): Actor {
  return {
    address: 'plain',
    send: (path, request) =>
      send(caller.base, path, { ...request, headers: { ...identity(caller), ...other, ...request.headers } }),
  };
}

function asTls(caller: Caller, base: string, tls: Tls): Actor {
  return {
    address: 'mutualTls',
    send: (path, request) =>
      sendTls(base, path, { ...request, headers: { ...identity(caller), ...request.headers } }, tls),
  };
}

async function enterAs(
  dataFolder: string,
  { base, page, user, role }: { base: string; page: Registered; user: string; role: string },
  headers: Request['headers'],
): Promise<Actor> {
  const person = await addUser(dataFolder, user);
  await setRole(dataFolder, user, role, 'left');
  const configuration = await discover(base, page);
  const caller = { base, application: { Name: 'page', ...page }, token: '' };
  const signInAgain = async () => {
    caller.token = (await signIn(configuration, person)).access_token;
  };
  await signInAgain();
  return { ...asCaller(caller, headers), signInAgain };
}

async function addTester(dataFolder: string, base: string): Promise<Caller> {
  const application = { Name: 'tester', ...(await addApplication(dataFolder, 'tester', { env: 'test' })) };
  return { base, application, token: await fetchToken(base, application) };
}

async function addServer(dataFolder: string, service: StartedHere) {
  const application = await addIssued(dataFolder, 'server');
  const base = String(service.mutualTls);
  const { token } = await fetchBound(through(base, application.tls), application.AppKey);
  return { base, application, token };
}
