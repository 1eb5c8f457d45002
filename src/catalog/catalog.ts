// The catalog: everything that is SQL, as verbs. Each verb is written once, with its declaration, and runs on any engine.
// A read sees one snapshot. A write resolves only when its commit is durable, or rejects with the `Refusal` that its verb
// threw; nothing of a refused write is kept.

import type { ReadVerb, WriteVerb } from './declaration.ts';
import type { Engine, Verb } from './sql.ts';
import * as addApplication from './verbs/add-application.ts';
import * as appPasswords from './verbs/app-passwords.ts';
import * as applications from './verbs/applications.ts';
import * as builtInApplication from './verbs/built-in-application.ts';
import * as certificates from './verbs/certificates.ts';
import * as changeEntry from './verbs/change-entry.ts';
import * as changes from './verbs/changes.ts';
import * as consents from './verbs/consents.ts';
import * as contents from './verbs/contents.ts';
import * as copyEntry from './verbs/copy-entry.ts';
import * as createFolder from './verbs/create-folder.ts';
import * as deadProperties from './verbs/dead-properties.ts';
import * as entryJobs from './verbs/entry-jobs.ts';
import * as findPath from './verbs/find-path.ts';
import * as grantedAccess from './verbs/granted-access.ts';
import * as grants from './verbs/grants.ts';
import * as groups from './verbs/groups.ts';
import * as idempotency from './verbs/idempotency.ts';
import * as issuerRecords from './verbs/issuer-records.ts';
import * as journal from './verbs/journal.ts';
import * as leases from './verbs/leases.ts';
import * as links from './verbs/links.ts';
import * as listFolder from './verbs/list-folder.ts';
import * as listWithContents from './verbs/list-with-contents.ts';
import * as locks from './verbs/locks.ts';
import * as members from './verbs/members.ts';
import * as people from './verbs/people.ts';
import * as personalData from './verbs/personal-data.ts';
import * as purge from './verbs/purge.ts';
import * as quotas from './verbs/quotas.ts';
import * as replaceEntry from './verbs/replace-entry.ts';
import * as saveFile from './verbs/save-file.ts';
import * as searchHits from './verbs/search-hits.ts';
import * as secondFactors from './verbs/second-factors.ts';
import * as sessions from './verbs/sessions.ts';
import * as settings from './verbs/settings.ts';
import * as setupLinks from './verbs/setup-links.ts';
import * as shareRules from './verbs/share-rules.ts';
import * as shareUses from './verbs/share-uses.ts';
import * as sharedChanges from './verbs/shared-changes.ts';
import * as shares from './verbs/shares.ts';
import * as signInRecords from './verbs/sign-in-records.ts';
import * as spaces from './verbs/spaces.ts';
import * as starred from './verbs/starred.ts';
import * as trash from './verbs/trash.ts';
import * as tree from './verbs/tree.ts';
import * as uploads from './verbs/uploads.ts';
import * as versions from './verbs/versions.ts';
import * as webhookDeliveries from './verbs/webhook-deliveries.ts';
import * as webhookEvents from './verbs/webhook-events.ts';
import * as webhooks from './verbs/webhooks.ts';

/** The registry: every verb that these files export. */
const modules = {
  ...addApplication,
  ...appPasswords,
  ...applications,
  ...certificates,
  ...changeEntry,
  ...changes,
  ...consents,
  ...builtInApplication,
  ...contents,
  ...copyEntry,
  ...createFolder,
  ...deadProperties,
  ...entryJobs,
  ...findPath,
  ...grantedAccess,
  ...grants,
  ...groups,
  ...idempotency,
  ...issuerRecords,
  ...journal,
  ...leases,
  ...links,
  ...listFolder,
  ...listWithContents,
  ...locks,
  ...members,
  ...people,
  ...personalData,
  ...purge,
  ...quotas,
  ...replaceEntry,
  ...saveFile,
  ...searchHits,
  ...secondFactors,
  ...sessions,
  ...settings,
  ...setupLinks,
  ...shareRules,
  ...shareUses,
  ...sharedChanges,
  ...shares,
  ...signInRecords,
  ...spaces,
  ...starred,
  ...trash,
  ...tree,
  ...uploads,
  ...versions,
  ...webhookDeliveries,
  ...webhookEvents,
  ...webhooks,
};

type Modules = typeof modules;
type Verbs = {
  [Name in keyof Modules as Modules[Name] extends { kind: 'read' | 'write' } ? Name : never]: Modules[Name];
};
type Call<V> = V extends (input: infer Input) => Verb<infer Result> ? (input: Input) => Promise<Result> : never;

export type VerbName = keyof Verbs;
export type WriteName = { [Name in VerbName]: Verbs[Name] extends { kind: 'write' } ? Name : never }[VerbName];

export type Catalog = { readonly [Name in VerbName]: Call<Verbs[Name]> } & { close(): Promise<void> };

/** Any verb, for code that runs verbs by name. The caller passes the input that the verb takes. */
export type AnyRead = ReadVerb<unknown, unknown>;
export type AnyWrite = WriteVerb<unknown, unknown>;

/** Every verb of the catalog, by name. */
export const registry = new Map(Object.entries(modules).filter(([, value]) => isVerb(value))) as unknown as ReadonlyMap<
  string,
  AnyRead | AnyWrite
>;

function isVerb(value: unknown): boolean {
  return typeof value === 'function' && 'kind' in value;
}

export function requireRead(name: string): AnyRead {
  const verb = registry.get(name);
  if (verb?.kind !== 'read') throw new Error(`there is no verb ${name} that reads`);
  return verb;
}

export function requireWrite(name: string): AnyWrite {
  const verb = registry.get(name);
  if (verb?.kind !== 'write') throw new Error(`there is no verb ${name} that writes`);
  return verb;
}

export function toCatalog(engine: Engine): Catalog {
  const calls = [...registry].map(([name, { kind }]) => [name, (input: unknown) => engine[kind](name, input)] as const);
  return { ...Object.fromEntries(calls), close: () => engine.close() } as unknown as Catalog;
}
