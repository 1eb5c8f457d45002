// Renders what managers see as JSON: spaces, applications, users, the audit log, usage and limits.

import type { Application } from '../catalog/verbs/applications.ts';
import type { Certificate } from '../catalog/verbs/certificates.ts';
import type { JournalRow } from '../catalog/verbs/journal.ts';
import type { Member } from '../catalog/verbs/members.ts';
import type { Quota, UsageOf } from '../catalog/verbs/quotas.ts';
import type { SpaceAccess } from '../domain/caller.ts';
import { deepestLevel } from '../domain/entry.ts';
import { maxCodePoints } from '../domain/name.ts';
import { maxKeyBytes, maxKeys, maxTotalBytes, maxValueBytes } from '../domain/properties.ts';
import type { ShareRules } from '../domain/share-rules.ts';
import type { ApplicationWithSecret } from '../operations/admin/applications.ts';
import { firstPageLimit, maxPageLimit } from '../operations/list-folder.ts';
import type { NewMember } from '../operations/manage-people.ts';
import { maxBatchBytes, maxBatchFiles } from '../operations/save-batch.ts';
import { type SetupSecret, toSetupUrl } from '../operations/setup-links.ts';
import type { LimitsView, SpaceUsage } from '../operations/show-usage.ts';
import type { ServiceInfo } from './environment-context.ts';
import { renderTime } from './wire.ts';

export function toSpace({ spaceId, spaceName, rootId, role }: SpaceAccess): object {
  const shown = { Id: spaceId, Name: spaceName, RootFolderId: rootId };
  return role === null ? shown : { ...shown, Role: role };
}

export function renderSpace(access: SpaceAccess): string {
  return JSON.stringify(toSpace(access));
}

/** One space, with the rules that hold in it if it has some of its own. */
export function renderSpaceWithRules(access: SpaceAccess, rules: ShareRules | null): string {
  if (rules === null) return renderSpace(access);
  const { isOn, makers, isPasswordRequired, maxDays } = rules;
  const shown = { Allowed: isOn, Makers: makers, PasswordRequired: isPasswordRequired, MaxDays: maxDays };
  return JSON.stringify({ ...toSpace(access), Shares: shown });
}

export function renderSpaces(spaces: readonly SpaceAccess[]): string {
  return `{"Spaces":[${spaces.map(renderSpace).join(',')}]}`;
}

function toApplication({ appKey, name, kind, state, scopes, redirectUris, createdAt }: Application): object {
  return {
    AppKey: appKey,
    Name: name,
    Kind: kind,
    State: state,
    Scopes: scopes,
    ...(redirectUris !== null && { RedirectUris: redirectUris }),
    CreatedAt: renderTime(createdAt),
  };
}

export function renderApplication(application: Application): string {
  return JSON.stringify(toApplication(application));
}

/** The only answer that contains the secret. */
export function renderRegistered({ application, secret }: ApplicationWithSecret): string {
  return JSON.stringify({ ...toApplication(application), ...(secret !== null && { Secret: secret }) });
}

export function renderApplications(applications: readonly Application[]): string {
  return JSON.stringify({ Applications: applications.map(toApplication) });
}

function toCertificate({ thumbprint, subject, notAfter, addedAt }: Certificate): object {
  return {
    Thumbprint: thumbprint,
    Subject: subject,
    NotAfter: renderTime(notAfter),
    AddedAt: renderTime(addedAt),
  };
}

export function renderCertificate(certificate: Certificate): string {
  return JSON.stringify(toCertificate(certificate));
}

export function renderCertificates(certificates: readonly Certificate[]): string {
  return JSON.stringify({ Certificates: certificates.map(toCertificate) });
}

function toUser({ id, name, state, role, createdAt, createdBy, hasSignedIn }: Member, isForManager: boolean): object {
  return {
    Id: id,
    Name: name,
    State: state,
    CreatedAt: renderTime(createdAt),
    ...(role !== null && { Role: role }),
    // Accounts of outside issuers are made there.
    ...(isForManager && { CreatedBy: id.includes(':') ? null : createdBy, HasSignedIn: hasSignedIn }),
  };
}

export function renderUser(member: Member, isForManager = true): string {
  return JSON.stringify(toUser(member, isForManager));
}

/** The only answers that contain a setup link. */
export function renderNewUser({ member, setup }: NewMember, publicUrl: string): string {
  return JSON.stringify({ ...toUser(member, true), ...toSetup(setup, publicUrl) });
}

export function renderSetup(setup: SetupSecret, publicUrl: string): string {
  return JSON.stringify(toSetup(setup, publicUrl));
}

function toSetup(setup: SetupSecret, publicUrl: string): object {
  return { SetupUrl: toSetupUrl(publicUrl, setup), SetupExpiresAt: renderTime(setup.expiresAt) };
}

export function renderUsers(members: readonly Member[], isForManager: boolean): string {
  return JSON.stringify({ Users: members.map((member) => toUser(member, isForManager)) });
}

export function renderEvents(events: readonly JournalRow[]): string {
  const shown = events.map(({ position, at, by, action, entry, request, details }) => {
    const { through, ...others } = JSON.parse(details) as Record<string, unknown>;
    return {
      Position: position,
      At: renderTime(at),
      By: by,
      ...(through !== undefined && { Application: through }),
      Action: action,
      EntryId: entry,
      RequestTrackingId: request,
      Details: toDetails(others),
    };
  });
  return JSON.stringify({ Events: shown });
}

/** Lists hold internal numbers of the catalog, so only their length is shown. */
export function toDetails(details: Record<string, unknown>): object {
  const shown = Object.entries(details).map(([name, value]) => [
    name.charAt(0).toUpperCase() + name.slice(1),
    Array.isArray(value) ? value.length : value,
  ]);
  return Object.fromEntries(shown) as object;
}

/** Only the limits that are set. */
function toQuota({ bytes, entries, requests }: Quota): object {
  const limited = Object.entries({ Bytes: bytes, Entries: entries, RequestsPerSecond: requests }).filter(
    ([, limit]) => limit !== null,
  );
  return limited.length === 0 ? {} : { Quota: Object.fromEntries(limited) };
}

function toUsage({ actor, entries, bytes, quota }: UsageOf): object {
  return { Actor: actor, Entries: entries, Bytes: bytes, ...toQuota(quota) };
}

export function renderUsage({ access, inAll, trashBytes, by }: SpaceUsage): string {
  const { entries, bytes, quota } = inAll;
  const space = { Id: access.spaceId, Name: access.spaceName, Entries: entries, Bytes: bytes, TrashBytes: trashBytes };
  return JSON.stringify({ Space: { ...space, ...toQuota(quota) }, By: by.map(toUsage) });
}

const dayMs = 24 * 60 * 60 * 1000;

export function renderLimits({ limits, spaceQuota, callerQuota }: LimitsView): string {
  const { keptVersions, versionMs, trashMs, journalMs } = limits;
  return JSON.stringify({
    FileBytes: limits.fileBytes,
    InlineBytes: limits.inlineBytes,
    NameCharacters: maxCodePoints,
    FolderLevels: deepestLevel,
    Properties: { Keys: maxKeys, KeyBytes: maxKeyBytes, ValueBytes: maxValueBytes, Bytes: maxTotalBytes },
    PageEntries: { Default: firstPageLimit, Most: maxPageLimit },
    Batch: { Files: maxBatchFiles, Bytes: maxBatchBytes },
    ...(keptVersions !== null && { VersionsKept: keptVersions }),
    ...(versionMs !== null && { VersionDays: versionMs / dayMs }),
    ...(trashMs !== null && { TrashDays: trashMs / dayMs }),
    ...(journalMs !== null && { JournalDays: journalMs / dayMs }),
    Space: toQuota(spaceQuota),
    Caller: toQuota(callerQuota),
  });
}

export function renderServiceInfo({ environment, version, startedAt, settings }: ServiceInfo): string {
  return JSON.stringify({
    Environment: environment,
    Version: version,
    StartedAt: renderTime(startedAt),
    Settings: settings.map(({ name, value, about, isDefault }) => ({
      Name: name,
      Value: value,
      About: about,
      IsDefault: isDefault,
    })),
  });
}
