// The caller of a request: authentication creates it, everything behind it trusts it.

import { Refusal } from './refusal.ts';

export const scopes = ['content.read', 'content.write', 'content.admin'] as const;
export type Scope = (typeof scopes)[number];

export const defaultScopes: readonly Scope[] = ['content.read', 'content.write'];

/** `server` applications are the document's "server-based" ones: they use the mutual-TLS address only. */
export const applicationKinds = ['client', 'server'] as const;
export type ApplicationKind = (typeof applicationKinds)[number];

export const roles = ['viewer', 'editor', 'manager'] as const;
export type Role = (typeof roles)[number];

/** A space that a caller can access, with the role there. */
export interface SpaceAccess {
  /** The catalog's number for it; clients know `spaceId` only. */
  space: number;
  spaceId: string;
  spaceName: string;
  rootId: string;
  /** What a person may do there. Null for an application that acts for itself: its scopes alone decide. */
  role: Role | null;
  /** Present where grants alone give access: then `role` is that in the requested entry, and nothing above it is visible. */
  view?: GrantView;
}

/** What a grant on an entry allows there and beneath. */
export const grantRoles = ['viewer', 'editor'] as const;
export type GrantRole = (typeof grantRoles)[number];

/** A space in which the caller, or a group of the caller, has grants on entries; with or without a role there. */
export interface GrantedSpace extends Omit<SpaceAccess, 'role' | 'view'> {
  /** The highest role of these grants. */
  role: GrantRole;
  /** Whose grants count for the caller: `user:<id>` and `group:<name>`. */
  principals: readonly string[];
}

/** What someone without a role in the space sees of it. */
export interface GrantView {
  principals: readonly string[];
  /** The path of the requested entry, from the topmost one that the grants show; null where no entry was requested. */
  path: string | null;
  /** The role in the folder that contains the requested entry; null: that folder is not visible. */
  parentRole: GrantRole | null;
}

/** Hashes, which are the keys of the issuer's records. */
export interface SignIn {
  grant: string;
  session: string;
}

export interface Caller {
  appKey: string;
  /** The value of `CreatedBy` and `ModifiedBy`: a user's id, `app:<application name>`, or `<issuer name>:<subject>`. */
  actor: string;
  /** The id of the person for whom the application acts; null when it acts for itself. */
  person: string | null;
  /** The sign-in of the person that the token came from; null: there is none, or an outside issuer has it. */
  signIn: SignIn | null;
  scopes: readonly Scope[];
  /** The spaces in which the caller has a role. */
  spaces: readonly SpaceAccess[];
  /** The spaces in which the caller has grants. */
  grants?: readonly GrantedSpace[];
  /** Whether the application belongs to one space, and so sees no other one of the person's. */
  isOfOneSpace: boolean;
  /** Whether an operator registered the application. */
  isTrusted: boolean;
  /** The header `SpaceId`: selects one of them where a request names no entry. */
  spaceId: string | null;
  /** The tracking id of the request, recorded with every change it makes. */
  requestId: string;
  /** Tokens of locks, from the header `If`. */
  lockTokens?: readonly string[];
}

/** The fields of a caller that is an application, acting for itself in its own space. */
export const actingForItself = { person: null, signIn: null, isOfOneSpace: true, isTrusted: false } as const;

/** The space of a request that names no entry, for what needs a role there. */
export function selectSpace(caller: Caller): SpaceAccess {
  const { spaces, spaceId } = caller;
  if (spaceId !== null) {
    const named = spaces.find((access) => access.spaceId === spaceId);
    if (named !== undefined) return named;
    checkSelected(caller);
    throw new Refusal('Forbidden', 'You need a role in the space. Only some of its entries are shared with you.');
  }
  const [first, ...others] = spaces;
  if (first === undefined)
    throw new Refusal('Forbidden', 'You are not a member of any space. Ask a manager for a role.');
  if (others.length === 0) return first;
  throw new Refusal('SpaceMissing', 'You are a member of several spaces.', {
    target: 'SpaceId',
    hint: 'Name one with the header SpaceId; GET /v1/contentmanagement/spaces lists them.',
  });
}

/** Refuses a space that the caller has neither a role nor a grant in. */
export function checkSelected(caller: Caller): void {
  const { spaces, spaceId } = caller;
  if (spaceId === null || [...spaces, ...guestSpaces(caller)].some((one) => one.spaceId === spaceId)) return;
  throw new Refusal('SpaceNotFound', 'There is no such space.', { target: 'SpaceId' });
}

/** Those in which the caller has grants and no role. */
export function guestSpaces({ spaces, grants = [] }: Caller): readonly GrantedSpace[] {
  return grants.length === 0 ? grants : grants.filter(({ space }) => spaces.every((access) => access.space !== space));
}

/** The space of a request that names no entry and shows whatever the caller may see there. */
export function selectView(caller: Caller): SpaceAccess {
  const guest = findGuestSpace(caller);
  return guest === undefined ? selectSpace(caller) : toGuestAccess(guest);
}

function findGuestSpace(caller: Caller): GrantedSpace | undefined {
  const guests = guestSpaces(caller);
  if (caller.spaceId !== null) return guests.find(({ spaceId }) => spaceId === caller.spaceId);
  return caller.spaces.length === 0 && guests.length === 1 ? guests[0] : undefined;
}

/** A space in which the caller has grants and no role. As `viewer`, because what may be changed depends on the entry. */
export function toGuestAccess({ principals, ...space }: GrantedSpace): SpaceAccess {
  return { ...space, role: 'viewer', view: { principals, path: null, parentRole: null } };
}

/** "`FolderId` absent, empty or `-root-` means the application's root folder." Without a role there is no root. */
export function toFolderId(caller: Caller, id: string | null): string {
  if (!isRootAlias(id)) return id;
  const isGuest =
    findGuestSpace(caller) !== undefined || (caller.spaces.length === 0 && guestSpaces(caller).length > 0);
  return isGuest ? rootAlias : selectSpace(caller).rootId;
}

/** The same where the space is already known. */
export function toFolderIdIn({ rootId, view }: SpaceAccess, id: string | null): string {
  if (!isRootAlias(id)) return id;
  return view === undefined ? rootId : rootAlias;
}

/** Also what the root is called where the caller does not see it: no entry has this id. */
const rootAlias = '-root-';

function isRootAlias(id: string | null): id is null {
  return id === null || id === '' || id === rootAlias;
}

/** What AI agents may do over MCP, at most. */
export const mcpAccesses = ['on', 'read', 'off'] as const;
export type McpAccess = (typeof mcpAccesses)[number];

/** The same for single spaces, by their ids. Where one is not named, the setting of the environment counts. */
export type McpSpaces = ReadonlyMap<string, Exclude<McpAccess, 'on'>>;

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

export function isGrantRole(text: string): text is GrantRole {
  return (grantRoles as readonly string[]).includes(text);
}
