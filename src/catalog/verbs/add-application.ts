// Registers an application, in an existing space or in a new one.

import type { ApplicationKind, Scope } from '../../domain/caller.ts';
import { toRenamed } from '../../domain/name.ts';
import { Refusal } from '../../domain/refusal.ts';
import { noSpace, write } from '../declaration.ts';
import { insert, note, type Origin, row, type Verb } from '../sql.ts';
import { insertInto, sql } from '../statement.ts';
import { type Application, requireApplication } from './applications.ts';
import { insertCertificate, type NewCertificate } from './certificates.ts';
import { insertSpace } from './spaces.ts';

const intoApplications = insertInto(
  'applications',
  'app_key name kind state space scopes secret_sha256 redirect_uris created_at created_by asks_consent',
);

export interface AddApplication extends Origin {
  appKey: string;
  name: string;
  kind: ApplicationKind;
  scopes: readonly Scope[];
  secretSha256: string | null;
  redirectUris: readonly string[] | null;
  certificates: readonly NewCertificate[];
  /** If true, it belongs to no space. */
  isForPeopleOnly: boolean;
  /** The space to join, by number or by name; a space with a new name is created. Null: a new space of its own. */
  space: string | number | null;
  /** Ids for the space and its root, if they are created. */
  spaceId: string;
  rootId: string;
  quotaBytes?: number | null;
  /** Whether it needs a person's consent before it acts for them. */
  asksConsent: boolean;
}

export const addApplication = write(
  { space: ({ space }) => (typeof space === 'number' ? space : noSpace), lock: 'exclusive', pages: 'unchanged' },
  function* addApplication(input: AddApplication): Verb<Application> {
    const taken = yield* row(sql`SELECT app_key FROM applications WHERE name = ${input.name}`);
    if (taken !== undefined) {
      throw new Refusal('NameAlreadyExists', `There is or was an application named ${JSON.stringify(input.name)}.`, {
        target: 'Name',
        hint: 'Application names are never reused. Choose another.',
      });
    }
    const space = input.isForPeopleOnly ? null : yield* requireSpace(input);
    yield* insert(intoApplications, [
      input.appKey,
      input.name,
      input.kind,
      'active',
      space,
      input.scopes.join(' '),
      input.secretSha256,
      input.redirectUris === null ? null : JSON.stringify(input.redirectUris),
      input.at,
      input.by,
      input.asksConsent ? 1 : 0,
    ]);
    yield* note(input, space, 'application.added', input.appKey, { name: input.name });
    for (const certificate of input.certificates) yield* insertCertificate(input, space, input.appKey, certificate);
    return yield* requireApplication({ application: input.appKey });
  },
);

function* requireSpace(input: AddApplication): Verb<number> {
  if (typeof input.space === 'number') return input.space;
  if (input.space !== null) {
    const found = yield* row<{ space: number }>(sql`SELECT space FROM spaces WHERE name = ${input.space}`);
    if (found !== undefined) return found.space;
  }
  let name = input.space ?? input.name;
  for (let n = 2; (yield* row(sql`SELECT space FROM spaces WHERE name = ${name}`)) !== undefined; n += 1) {
    name = toRenamed(input.name, n, 'folder');
  }
  return yield* insertSpace({ ...input, name, rootBy: `app:${input.name}` });
}
