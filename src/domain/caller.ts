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
  /** All spaces that the caller can access. */
  spaces: readonly SpaceAccess[];
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

/** The space of a request that names no entry. */
export function selectSpace({ spaces, spaceId }: Caller): SpaceAccess {
  if (spaceId !== null) {
    const named = spaces.find((access) => access.spaceId === spaceId);
    if (named === undefined) throw new Refusal('SpaceNotFound', 'There is no such space.', { target: 'SpaceId' });
    return named;
  }
  const [first, ...others] = spaces;
  if (first === undefined) throw new Refusal('Forbidden', 'You are not a member of any space. Ask to be given a role.');
  if (others.length === 0) return first;
  throw new Refusal('SpaceMissing', 'You are a member of several spaces.', {
    target: 'SpaceId',
    hint: 'Name one with the header SpaceId; GET /v1/contentmanagement/spaces lists them.',
  });
}

/** "`FolderId` absent, empty or `-root-` means the application's root folder." */
export function toFolderId(caller: Caller, id: string | null): string {
  return isRootAlias(id) ? selectSpace(caller).rootId : id;
}

/** The same where the space is already known. */
export function toFolderIdIn({ rootId }: SpaceAccess, id: string | null): string {
  return isRootAlias(id) ? rootId : id;
}

function isRootAlias(id: string | null): id is null {
  return id === null || id === '' || id === '-root-';
}

/** What AI agents may do over MCP, at most. */
export const mcpAccesses = ['on', 'read', 'off'] as const;
export type McpAccess = (typeof mcpAccesses)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}
