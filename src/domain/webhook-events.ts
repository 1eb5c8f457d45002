// The events that webhooks send: one for each action of the journal but those that only the audit log has. The documentation is generated from this table, and a
// test fails for an action that is missing here.

import type { Kind } from './entry.ts';

export interface EventType {
  action: string;
  /** When it happens. */
  about: string;
  /** `data.Details` of an example. */
  details: Readonly<Record<string, unknown>>;
  /** Whether the journal names an entry with it. */
  isOfEntry: boolean;
}

const ids = { parent: '0199b7c2-8d1e-7a64-b0f5-2c91e7d3a801', other: '0199b7c2-9a40-7c11-8e02-51d6aa90f3b2' };

function ofEntry(action: string, about: string, details: EventType['details'] = {}): EventType {
  return { action, about, details, isOfEntry: true };
}

function other(action: string, about: string, details: EventType['details'] = {}): EventType {
  return { action, about, details, isOfEntry: false };
}

export const eventTypes: readonly EventType[] = [
  ofEntry('folder.created', 'A folder was created.', { Parent: ids.parent, Name: 'Invoices' }),
  ofEntry('folder.copied', 'A folder was made by copying another one. Each folder of a copied tree has its event.', {
    Parent: ids.parent,
    Name: 'Invoices',
    Source: ids.other,
  }),
  ofEntry('file.created', 'A file was saved under a new name.', {
    Parent: ids.parent,
    Name: 'invoice-4711.pdf',
    Version: 1,
    Size: 48213,
  }),
  ofEntry('file.saved', 'A new version of a file was saved.', {
    Parent: ids.parent,
    Name: 'invoice-4711.pdf',
    Version: 2,
    Size: 48377,
  }),
  ofEntry('file.changed', 'A save with the same content changed the type or the properties of a file.', {
    Parent: ids.parent,
    Name: 'invoice-4711.pdf',
    Version: 2,
    Size: 48377,
  }),
  ofEntry('file.copied', 'A file was made by copying another one.', {
    Parent: ids.parent,
    Name: 'invoice-4711.pdf',
    Source: ids.other,
  }),
  ofEntry('file.read', 'The content of a file was read. Only with `CABINET_AUDIT_READS=yes`.', { Version: 2 }),
  ofEntry('entry.changed', 'A file or folder was renamed, moved, or got other properties or another type.', {
    Kind: 'file',
    Parent: ids.parent,
    From: ids.other,
    Name: 'invoice-4711.pdf',
  }),
  ofEntry('entry.attached', 'The copy of a tree is complete and visible. `Source` is the top of the original.', {
    Kind: 'folder',
    Parent: ids.parent,
    Name: 'Invoices',
    Source: ids.other,
  }),
  ofEntry('entry.trashed', 'A file or folder was moved to the trash, with everything beneath it.', {
    Kind: 'folder',
    Parent: ids.parent,
    Name: 'Invoices',
  }),
  ofEntry('entry.restored', 'A file or folder came back from the trash.', {
    Kind: 'folder',
    Parent: ids.parent,
    Name: 'Invoices',
  }),
  ofEntry('entry.removed', 'A file or folder was removed for good, with everything beneath it.', {
    Kind: 'file',
    Name: 'invoice-4711.pdf',
  }),
  ofEntry('entry.locked', 'A WebDAV client locked a file or folder.', {
    Kind: 'file',
    Depth: '0',
    ExpiresAt: 1768473000123,
  }),
  ofEntry('entry.unlocked', 'A WebDAV client released a lock.', { Kind: 'file' }),
  ofEntry('entry.properties-changed', 'A WebDAV client changed properties. `Names` counts them.', {
    Kind: 'file',
    Names: 2,
  }),
  ofEntry('version.restored', 'An earlier version of a file became the current one again.', {
    Version: 3,
    From: 1,
  }),
  ofEntry('version.removed', 'A version of a file was removed for good.', { Version: 1 }),
  ofEntry('version.commented', 'The comment on a version was changed.', { Version: 2 }),
  ofEntry('link.created', 'A temporary link to a file was created.', {
    Link: 'b5Wm2Q0d1m8dBp0x',
    Version: 2,
    ExpiresAt: '2026-01-15T09:31:00.123Z',
  }),
  ofEntry('link.used', 'A temporary link was used.', { Link: 'b5Wm2Q0d1m8dBp0x', Version: 2, Address: '192.0.2.7' }),
  ofEntry('link.ended', 'A temporary link was ended before its time.', { Link: 'b5Wm2Q0d1m8dBp0x' }),
  other('entries.purged', 'What was removed for good was deleted from storage. `Entries` counts it.', { Entries: 120 }),
  other(
    'journal.keyed',
    'The chain of the journal goes on with another key. It concerns no space, so no webhook gets it.',
    {
      Key: 'k2',
      Before: 'k1',
    },
  ),
  other('space.created', 'The space was created.', { Name: 'backoffice' }),
  other('space.renamed', 'The space was renamed.', { Name: 'office', Before: 'backoffice' }),
  other('space.sharing-changed', 'Rules about links were set for the space; null: those of the service.', {
    Allowed: null,
    Makers: 'managers',
    PasswordRequired: true,
    MaxDays: 30,
  }),
  other('quota.changed', 'A quota of the space or of an actor was changed.', {
    Entries: null,
    Bytes: 10737418240,
    Requests: null,
  }),
  other('application.added', 'An application was registered.', { Name: 'scanner' }),
  other('application.rotated', 'An application got a new secret.', {}),
  other('application.active', 'An application was enabled again.', {}),
  other('application.disabled', 'An application was disabled.', {}),
  other('application.removed', 'An application was removed.', {}),
  other('certificate.added', 'An application got a client certificate.', {
    Thumbprint: 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2',
    Subject: 'CN=scanner',
  }),
  other('certificate.removed', 'A client certificate of an application was removed.', {
    Thumbprint: 'bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2',
  }),
  other('user.added', 'An account was made. It concerns no space, so no webhook gets it.', {}),
  other('user.role', 'A person got another role in the space; null: none.', { Role: 'editor' }),
  other('user.password', 'The password of a person of the space was changed.', {}),
  other('user.setup', 'A setup link was made for a person of the space.', {}),
  other('user.active', 'An account was enabled again. It concerns no space, so no webhook gets it.', {}),
  other('user.disabled', 'An account was disabled. It concerns no space, so no webhook gets it.', {}),
  other(
    'user.erased',
    'The account of a person of the space was erased. Only the id stays; erase what your system stores about the person.',
    {},
  ),
  other('sign-in.succeeded', 'A person signed in. It concerns no space, so no webhook gets it.', {
    Address: '192.0.2.7',
    Application: 'ak_1nP0',
  }),
  other('sign-in.failed', 'A sign-in failed. It concerns no space, so no webhook gets it.', {
    Address: '192.0.2.7',
    Application: 'ak_1nP0',
    Reason: 'password',
  }),
  other('device.allowed', 'A person let a device sign in by its code. It concerns no space, so no webhook gets it.', {
    Address: '192.0.2.7',
    OfApplication: 'ak_1nP0',
    DeviceAddress: '198.51.100.4',
    DeviceProgram: 'cabinet/0.2.0',
  }),
  other('device.denied', 'A person refused a device. It concerns no space, so no webhook gets it.', {
    Address: '192.0.2.7',
    OfApplication: 'ak_1nP0',
    DeviceAddress: '198.51.100.4',
    DeviceProgram: 'cabinet/0.2.0',
  }),
  other('device.failed', 'Somebody typed a wrong code of a device. It concerns no space, so no webhook gets it.', {
    Address: '192.0.2.7',
  }),
  other('session.ended', 'A sign-in of a person of the space was ended.', {}),
  other('sessions.ended', 'All sign-ins of a person of the space were ended.', {}),
  other('sign-ins.ended', 'An operator ended all sign-ins. It concerns no space, so no webhook gets it.', {}),
  other('consent.given', 'A person of the space allowed an application to act for them.', {
    OfApplication: 'ak_1nP0',
    Scopes: 'content.read content.write',
  }),
  other('consent.ended', 'A person of the space took that back.', { OfApplication: 'ak_1nP0' }),
  other('app-password.added', 'A person of the space made an app password.', {
    Id: '0199b7c28d1e7a64b0f52c91e7d3a801',
    Name: 'laptop',
    Access: 'write',
  }),
  other('app-password.removed', 'A person of the space removed an app password.', {
    Id: '0199b7c28d1e7a64b0f52c91e7d3a801',
    Name: 'laptop',
  }),
  other('second-factor.added', 'A person of the space set up a second factor.', {
    Id: '0199b7c28d1e7a64b0f52c91e7d3a801',
    Kind: 'totp',
    Name: 'phone',
  }),
  other('second-factor.removed', 'A second factor of a person of the space was removed.', {
    Id: '0199b7c28d1e7a64b0f52c91e7d3a801',
    Kind: 'totp',
    Name: 'phone',
  }),
  other('second-factor.code-used', 'A person of the space signed in with a recovery code. `Left`: how many are left.', {
    Left: 9,
  }),
  other('second-factor.codes-renewed', 'A person of the space made new recovery codes.', {}),
  other('group.added', 'A group of people was added.', {}),
  other('group.member-added', 'A person became a member of a group.', { Member: 'ann' }),
  other(
    'group.member-removed',
    'A person is no longer a member of a group. `Granted`: what is shared with the group.',
    {
      Member: 'ann',
      Granted: [ids.other],
    },
  ),
  other('group.removed', 'A group was removed, and what was shared with it is shared no more.', {}),
  other('webhook.created', 'A webhook was created. It does not get this event itself.', {
    Url: 'https://example.com/hooks/cabinet',
  }),
  other('webhook.changed', 'A webhook was changed, paused or activated.', { State: 'paused' }),
  other('webhook.removed', 'A webhook was removed.', { Url: 'https://example.com/hooks/cabinet' }),
  other('webhook.rotated', 'A webhook got a new secret.', {}),
  other('webhook.replayed', 'A webhook was set back to an earlier position.', { From: 4711 }),
  other('webhook.disabled', 'The service disabled a webhook, because its receiver refused or failed for days.', {
    Reason: 'gone',
  }),
];

/** The event of `POST /webhooks/{id}/test`; the journal never has it. */
export const testAction = 'webhook.test';

export function toEventType(action: string): string {
  return `cabinet.${action}`;
}

const actions = new Set(eventTypes.map(({ action }) => action));
const actionsOfEntries = new Set(eventTypes.filter(({ isOfEntry }) => isOfEntry).map(({ action }) => action));
const groups = new Set(eventTypes.map(({ action }) => toGroup(action)));

function toGroup(action: string): string {
  return action.slice(0, action.indexOf('.'));
}

/** `*`, a group such as `file.*`, or an action. */
export function isEventPattern(pattern: string): boolean {
  if (pattern === '*') return true;
  return pattern.endsWith('.*') ? groups.has(pattern.slice(0, -2)) : actions.has(pattern);
}

/** Whether it happens to an entry, which lies in a folder. */
export function isOfEntry(action: string): boolean {
  return actionsOfEntries.has(action);
}

/** Actions that only the audit log has: no webhook gets them. */
export const auditOnly: ReadonlySet<string> = new Set([
  'mcp.called',
  'access.granted',
  'access.revoked',
  'share.created',
  'share.changed',
  'share.revoked',
  'share.opened',
  'share.downloaded',
  'share.uploaded',
]);

/** What happens to entries whichever kind they are: `file.*` and `folder.*` match it by the kind of the entry. */
const ofAnyKind = new Set(['entry', 'version']);

/** Whether an action matches: yes, no, or only if the entry is of one of these kinds. */
export function matchEvent(patterns: readonly string[], action: string): boolean | readonly Kind[] {
  if (auditOnly.has(action)) return false;
  const group = toGroup(action);
  if (patterns.some((pattern) => pattern === '*' || pattern === action || pattern === `${group}.*`)) return true;
  if (!ofAnyKind.has(group)) return false;
  const kinds = (['file', 'folder'] as const).filter((kind) => patterns.includes(`${kind}.*`));
  if (group === 'version') return kinds.includes('file');
  return kinds.length === 2 || (kinds.length === 0 ? false : kinds);
}
