// Applications and the spaces they are registered into. An application is never deleted: removing it only takes away
// its rights, so that what it made keeps a name that nobody else can take.

import { type ApplicationKind, isScope, type Scope } from '../domain/caller.ts';
import { toNameKey, toRenamed } from '../domain/name.ts';
import { Refusal } from '../domain/refusal.ts';
import { insertRow, toNewFolder } from './entries.ts';
import { append, insert, row, rows, type Verb } from './sql.ts';

export type ApplicationState = 'active' | 'disabled' | 'removed';

export interface Application {
  appKey: string;
  name: string;
  kind: ApplicationKind;
  state: ApplicationState;
  scopes: Scope[];
  space: number;
  spaceName: string;
  rootId: string;
  createdAt: number;
  /** SHA-256 of the secret, in hex. */
  secretSha256: string;
  previousSecretSha256: string | null;
  previousSecretUntil: number | null;
}

interface ApplicationRow {
  app_key: string;
  name: string;
  kind: ApplicationKind;
  state: ApplicationState;
  scopes: string;
  space: number;
  space_name: string;
  root: string;
  created_at: number;
  secret_sha256: string;
  previous_secret_sha256: string | null;
  previous_secret_until: number | null;
}

const selection = `SELECT app_key, applications.name AS name, kind, state, scopes, applications.space AS space,
    spaces.name AS space_name, root, applications.created_at AS created_at, secret_sha256, previous_secret_sha256,
    previous_secret_until
  FROM applications JOIN spaces ON spaces.space = applications.space`;

function toApplication(found: ApplicationRow): Application {
  return {
    appKey: found.app_key,
    name: found.name,
    kind: found.kind,
    state: found.state,
    scopes: found.scopes.split(' ').filter(isScope),
    space: found.space,
    spaceName: found.space_name,
    rootId: found.root,
    createdAt: found.created_at,
    secretSha256: found.secret_sha256,
    previousSecretSha256: found.previous_secret_sha256,
    previousSecretUntil: found.previous_secret_until,
  };
}

export function* findApplication({ appKey }: { appKey: string }): Verb<Application | null> {
  const found = yield* row<ApplicationRow>(`${selection} WHERE app_key = $1`, appKey);
  return found === undefined ? null : toApplication(found);
}

/** Also those that were removed count: whoever removed them knows why there are none. */
export function* hasApplications(_: Record<string, never>): Verb<boolean> {
  return (yield* row('SELECT app_key FROM applications LIMIT 1')) !== undefined;
}

export function* listApplications(_: Record<string, never>): Verb<Application[]> {
  return (yield* rows<ApplicationRow>(`${selection} WHERE state <> 'removed' ORDER BY applications.name`)).map(
    toApplication,
  );
}

export interface AddApplication {
  appKey: string;
  name: string;
  kind: ApplicationKind;
  scopes: readonly Scope[];
  secretSha256: string;
  /** The space to join, made if it is not there; null: one of its own. */
  space: string | null;
  /** Ids for the space and its root, should they have to be made. */
  spaceId: string;
  rootId: string;
  at: number;
  request: string;
}

export function* addApplication(asked: AddApplication): Verb<Application> {
  const taken = yield* row('SELECT app_key FROM applications WHERE name = $1', asked.name);
  if (taken !== undefined) {
    throw new Refusal('NameAlreadyExists', `There is or was an application named ${JSON.stringify(asked.name)}.`, {
      target: 'Name',
      hint: 'Names of applications are never given out twice; choose another.',
    });
  }
  const space = yield* requireSpace(asked);
  yield* rows(
    `INSERT INTO applications (app_key, name, kind, state, space, scopes, secret_sha256, created_at)
     VALUES ($1, $2, $3, 'active', $4, $5, $6, $7)`,
    asked.appKey,
    asked.name,
    asked.kind,
    space,
    asked.scopes.join(' '),
    asked.secretSha256,
    asked.at,
  );
  yield* note(asked, space, 'application.added', asked.appKey, { name: asked.name });
  return yield* requireApplication(asked.appKey);
}

function* requireSpace(asked: AddApplication): Verb<number> {
  if (asked.space !== null) {
    const found = yield* row<{ space: number }>('SELECT space FROM spaces WHERE name = $1', asked.space);
    if (found !== undefined) return found.space;
  }
  let name = asked.space ?? asked.name;
  for (let n = 2; (yield* row('SELECT space FROM spaces WHERE name = $1', name)) !== undefined; n += 1) {
    name = toRenamed(asked.name, n, 'folder');
  }
  return yield* addSpace(asked, name);
}

function* addSpace(asked: AddApplication, name: string): Verb<number> {
  const { at, spaceId, rootId } = asked;
  const by = `app:${asked.name}`;
  const space = yield* insert(
    'space',
    'INSERT INTO spaces (id, name, root, created_at) VALUES ($1, $2, $3, $4)',
    spaceId,
    name,
    rootId,
    at,
  );
  yield* insertRow(space, toNewFolder({ id: rootId, parent: null, name, nameKey: toNameKey(name), at, by }));
  yield* note(asked, space, 'space.created', rootId, { name });
  return space;
}

/** By AppKey or by name; one that was removed is not found. */
function* requireApplication(keyOrName: string): Verb<Application> {
  const found = yield* row<ApplicationRow>(
    `${selection} WHERE (app_key = $1 OR applications.name = $1) AND state <> 'removed'`,
    keyOrName,
  );
  if (found === undefined) {
    throw new Refusal('ApplicationNotFound', `There is no application ${JSON.stringify(keyOrName)}.`);
  }
  return toApplication(found);
}

export interface SetApplicationState {
  application: string;
  state: ApplicationState;
  at: number;
  request: string;
}

export function* setApplicationState(asked: SetApplicationState): Verb<Application> {
  const { appKey, space } = yield* requireApplication(asked.application);
  yield* rows('UPDATE applications SET state = $1 WHERE app_key = $2', asked.state, appKey);
  yield* note(asked, space, `application.${asked.state}`, appKey, {});
  const found = yield* row<ApplicationRow>(`${selection} WHERE app_key = $1`, appKey);
  if (found === undefined) throw new Error('an application vanished while it was changed');
  return toApplication(found);
}

export interface RotateSecret {
  application: string;
  secretSha256: string;
  /** Until when the secret that is replaced stays valid. */
  previousUntil: number;
  at: number;
  request: string;
}

export function* rotateSecret(asked: RotateSecret): Verb<Application> {
  const { appKey, space } = yield* requireApplication(asked.application);
  yield* rows(
    `UPDATE applications SET previous_secret_sha256 = secret_sha256, previous_secret_until = $1, secret_sha256 = $2
     WHERE app_key = $3`,
    asked.previousUntil,
    asked.secretSha256,
    appKey,
  );
  yield* note(asked, space, 'application.rotated', appKey, {});
  return yield* requireApplication(appKey);
}

function* note(
  asked: { at: number; request: string },
  space: number,
  action: string,
  entry: string,
  details: object,
): Verb<void> {
  const { at, request } = asked;
  yield* append({ at, space, by: 'operator', action, entry, request, details: JSON.stringify(details) });
}
