// Applications. Removing an application only revokes its rights: its name stays taken, because entries refer to it.

import { type ApplicationKind, isScope, type Scope, type SpaceAccess } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import { noSpace, read, write } from '../declaration.ts';
import { execute, note, type Origin, row, rows, type Verb } from '../sql.ts';
import { sql } from '../statement.ts';

export type ApplicationState = 'active' | 'disabled' | 'removed';

export interface Application {
  appKey: string;
  name: string;
  kind: ApplicationKind;
  state: ApplicationState;
  scopes: Scope[];
  /** Null: it belongs to no space and acts only for users. */
  access: SpaceAccess | null;
  createdAt: number;
  /** `operator`, or who registered it over HTTP; null: unknown. */
  createdBy: string | null;
  /** SHA-256 of the secret, in hex; null for an application that cannot keep a secret. */
  secretSha256: string | null;
  previousSecretSha256: string | null;
  previousSecretUntil: number | null;
  /** Where users return to after they signed in; null: nobody signs in through it. */
  redirectUris: string[] | null;
  /** Thumbprints of its client certificates. */
  certificates: string[];
  /** Access tokens of an earlier epoch are revoked. */
  tokenEpoch: number;
  /** Whether it needs a person's consent before it acts for them. */
  asksConsent: boolean;
}

interface ApplicationRow {
  app_key: string;
  name: string;
  kind: ApplicationKind;
  state: ApplicationState;
  scopes: string;
  space: number | null;
  space_id: string;
  space_name: string;
  root: string;
  created_at: number;
  created_by: string | null;
  secret_sha256: string | null;
  previous_secret_sha256: string | null;
  previous_secret_until: number | null;
  redirect_uris: string | null;
  thumbprints: string | null;
  token_epoch: number;
  asks_consent: number;
}

const selection = sql`SELECT app_key, applications.name AS name, kind, state, scopes, applications.space AS space,
  spaces.id AS space_id, spaces.name AS space_name, root, applications.created_at AS created_at, applications.created_by AS created_by, secret_sha256,
  previous_secret_sha256, previous_secret_until, redirect_uris, token_epoch, asks_consent, (SELECT string_agg(thumbprint, ' ')
  FROM certificates WHERE certificates.app_key = applications.app_key) AS thumbprints FROM applications LEFT
  JOIN spaces ON spaces.space = applications.space`;

function toApplication(found: ApplicationRow): Application {
  return {
    appKey: found.app_key,
    name: found.name,
    kind: found.kind,
    state: found.state,
    scopes: found.scopes.split(' ').filter(isScope),
    access: toSpaceAccess(found),
    createdAt: found.created_at,
    createdBy: found.created_by,
    secretSha256: found.secret_sha256,
    previousSecretSha256: found.previous_secret_sha256,
    previousSecretUntil: found.previous_secret_until,
    redirectUris: found.redirect_uris === null ? null : (JSON.parse(found.redirect_uris) as string[]),
    certificates: found.thumbprints?.split(' ') ?? [],
    tokenEpoch: found.token_epoch,
    asksConsent: found.asks_consent === 1,
  };
}

function toSpaceAccess({
  space,
  space_id: spaceId,
  space_name: spaceName,
  root: rootId,
}: ApplicationRow): SpaceAccess | null {
  return space === null ? null : { space, spaceId, spaceName, rootId, role: null };
}

export const findApplication = read(
  {},
  function* findApplication({ appKey }: { appKey: string }): Verb<Application | null> {
    const found = yield* row<ApplicationRow>(sql`${selection} WHERE app_key = ${appKey}`);
    return found === undefined ? null : toApplication(found);
  },
);

/** Removed applications count too. */
export const hasApplications = read({}, function* hasApplications(_: Record<string, never>): Verb<boolean> {
  return (yield* row(sql`SELECT app_key FROM applications LIMIT 1`)) !== undefined;
});

export const listApplications = read({}, function* listApplications(_: Record<string, never>): Verb<Application[]> {
  return (yield* rows<ApplicationRow>(sql`${selection} WHERE state <> 'removed' ORDER BY applications.name`)).map(
    toApplication,
  );
});

export interface ListApplicationsOf {
  space: number;
  /** The page begins after this name; null: the first page. */
  after: string | null;
  limit: number;
}

/** Applications of one space, by name. */
export const listApplicationsOf = read(
  {},
  function* listApplicationsOf({ space, after, limit }: ListApplicationsOf): Verb<Application[]> {
    const found = yield* rows<ApplicationRow>(sql`${selection}
      WHERE applications.space = ${space} AND state <> 'removed'
        AND applications.name > ${after ?? ''} ORDER BY applications.name LIMIT ${limit}`);
    return found.map(toApplication);
  },
);

/** Refers to an application. */
export interface ApplicationRef {
  /** The AppKey or, for operators, the name. */
  application: string;
  /** If set, only an application of this space is found, and only by its AppKey. */
  space?: number;
}

/** Removed applications are not found. */
export function* requireApplication({ application, space }: ApplicationRef): Verb<Application> {
  const found =
    space === undefined
      ? yield* row<ApplicationRow>(
          sql`${selection} WHERE (app_key = ${application} OR applications.name = ${application})
            AND state <> 'removed'`,
        )
      : yield* row<ApplicationRow>(
          sql`${selection} WHERE app_key = ${application} AND applications.space = ${space} AND state <> 'removed'`,
        );
  if (found !== undefined) return toApplication(found);
  const named = space === undefined ? `application ${JSON.stringify(application)}` : 'such application';
  throw new Refusal('ApplicationNotFound', `There is no ${named}.`);
}

/** Whoever has stolen tokens of the application, or made links with them, can do nothing with them any more. */
function* revokeTokens(appKey: string): Verb<void> {
  yield* execute(sql`UPDATE applications SET token_epoch = token_epoch + 1 WHERE app_key = ${appKey}`);
  yield* execute(sql`DELETE FROM sessions WHERE app_key = ${appKey}`);
  yield* execute(sql`DELETE FROM links WHERE made_by = ${appKey}`);
  // Ended, not removed: a request that began before must not write them again. Sign-ins of browsers are no application's.
  const mark = `%"clientId":${JSON.stringify(appKey)}%`;
  yield* execute(sql`UPDATE issuer_records SET payload = NULL WHERE model <> 'Session' AND payload LIKE ${mark}`);
}

export interface SetApplicationState extends Origin, ApplicationRef {
  state: ApplicationState;
  /** Whether its tokens, sign-ins through it and links end for good. */
  areTokensRevoked: boolean;
}

export const setApplicationState = write(
  { space: ({ space }) => space ?? noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* setApplicationState(input: SetApplicationState): Verb<Application> {
    const { appKey, access } = yield* requireApplication(input);
    yield* execute(sql`UPDATE applications SET state = ${input.state} WHERE app_key = ${appKey}`);
    if (input.state === 'removed') yield* execute(sql`DELETE FROM certificates WHERE app_key = ${appKey}`);
    if (input.areTokensRevoked) yield* revokeTokens(appKey);
    const details = input.areTokensRevoked ? { tokens: 'revoked' } : {};
    yield* note(input, access?.space ?? null, `application.${input.state}`, appKey, details);
    const found = yield* row<ApplicationRow>(sql`${selection} WHERE app_key = ${appKey}`);
    if (found === undefined) throw new Error('an application vanished while it was changed');
    return toApplication(found);
  },
);

export interface RotateSecret extends Origin, ApplicationRef {
  secretSha256: string;
  /** When the replaced secret expires. */
  previousUntil: number;
  areTokensRevoked: boolean;
}

export const rotateSecret = write(
  { space: ({ space }) => space ?? noSpace, lock: 'exclusive', pages: 'unchanged' },
  function* rotateSecret(input: RotateSecret): Verb<Application> {
    const { appKey, name, access, secretSha256 } = yield* requireApplication(input);
    if (secretSha256 === null) throw new Refusal('InvalidField', `The application ${name} has no secret.`);
    yield* execute(sql`UPDATE applications SET previous_secret_sha256 = secret_sha256,
      previous_secret_until = ${input.previousUntil}, secret_sha256 = ${input.secretSha256}
      WHERE app_key = ${appKey}`);
    if (input.areTokensRevoked) yield* revokeTokens(appKey);
    const details = input.areTokensRevoked ? { tokens: 'revoked' } : {};
    yield* note(input, access?.space ?? null, 'application.rotated', appKey, details);
    return yield* requireApplication({ application: appKey });
  },
);
