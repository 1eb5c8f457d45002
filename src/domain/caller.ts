// Who asks. Made by authentication, believed by everything behind it.

import { Refusal } from './refusal.ts';

export const scopes = ['content.read', 'content.write', 'content.admin'] as const;
export type Scope = (typeof scopes)[number];

export const defaultScopes: readonly Scope[] = ['content.read', 'content.write'];

/** `server` applications are the document's "server-based" ones: they use the mutual-TLS address only. */
export const applicationKinds = ['client', 'server'] as const;
export type ApplicationKind = (typeof applicationKinds)[number];

export const roles = ['viewer', 'editor', 'manager'] as const;
export type Role = (typeof roles)[number];

/** A space that a caller is in. */
export interface Seat {
  /** The catalog's number for it; outside, only `spaceId` is known. */
  space: number;
  spaceId: string;
  spaceName: string;
  rootId: string;
  /** What a person may do there. Null for an application that acts for itself: its scopes alone say. */
  role: Role | null;
}

export interface Caller {
  appKey: string;
  /** What `CreatedBy` and `ModifiedBy` say: a user's id, `app:<application name>`, or `<issuer name>:<subject>`. */
  actor: string;
  /** The id of the person for whom the application acts; null: for itself. */
  person: string | null;
  scopes: readonly Scope[];
  /** The spaces that the caller sees, and nothing beyond them. */
  seats: readonly Seat[];
  /** The header `SpaceId`: which of them is meant where no id tells. */
  spaceId: string | null;
  /** The tracking id of the request, kept with every change it makes. */
  requestId: string;
}

/** The space that a request means that names no entry. */
export function chooseSeat({ seats, spaceId }: Caller): Seat {
  if (spaceId !== null) {
    const named = seats.find((seat) => seat.spaceId === spaceId);
    if (named === undefined) throw new Refusal('SpaceNotFound', 'There is no such space.', { target: 'SpaceId' });
    return named;
  }
  const [first, ...others] = seats;
  if (first === undefined) throw new Refusal('Forbidden', 'You are not a member of any space. Ask to be given a role.');
  if (others.length === 0) return first;
  throw new Refusal('SpaceMissing', 'You are a member of several spaces.', {
    target: 'SpaceId',
    hint: 'Name one with the header SpaceId; GET /v1/contentmanagement/spaces lists them.',
  });
}

/** "`FolderId` absent, empty or `-root-` means the application's root folder." */
export function toFolderId(caller: Caller, id: string | null): string {
  return isRootAlias(id) ? chooseSeat(caller).rootId : id;
}

/** The same where it is known already which space is meant. */
export function toFolderIdIn({ rootId }: Seat, id: string | null): string {
  return isRootAlias(id) ? rootId : id;
}

function isRootAlias(id: string | null): id is null {
  return id === null || id === '' || id === '-root-';
}

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}
