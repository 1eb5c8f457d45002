// Preconditions of a write (RFC 9110, section 13): whether the resource is still in the state that the client has seen.

import type { Entry } from './entry.ts';
import { Refusal } from './refusal.ts';

/** Entity tags as they are compared, quoted. `*`: any state, but there must be one. Null: the header is absent. */
export type EntityTags = readonly string[] | '*' | null;

export interface Precondition {
  /** `If-Match`: strong tags only, because a weak one never matches. */
  match: EntityTags;
  /** `If-None-Match`: the comparison is weak, so tags are without `W/`. */
  noneMatch: EntityTags;
  /** `If-Unmodified-Since`, in milliseconds since 1970. Null beside `match`, which takes precedence. */
  unmodifiedSince: number | null;
}

export interface ResourceState {
  /** Strong, quoted. */
  etag: string;
  modifiedAt: number;
}

/** The ETag of a content is its digest. */
export function toContentEtag(sha256: Uint8Array): string {
  return `"${Buffer.from(sha256).toString('base64')}"`;
}

export function checkEntryPrecondition(
  precondition: Precondition | null | undefined,
  { etag, entry }: { etag: string; entry: Entry },
): void {
  checkPrecondition(precondition, { etag, modifiedAt: entry.modifiedAt });
}

/** In the order of RFC 9110, section 13.2.2. `current` is null if the resource does not exist. */
export function checkPrecondition(precondition: Precondition | null | undefined, current: ResourceState | null): void {
  if (precondition === null || precondition === undefined) return;
  const { match, noneMatch, unmodifiedSince } = precondition;
  if (match !== null && !isListed(match, current)) throw notMatched(current);
  // A resource that does not exist has no date, and then the standard says to ignore the header.
  if (unmodifiedSince !== null && current !== null && toSecond(current.modifiedAt) > unmodifiedSince) {
    throw modifiedSince(current);
  }
  if (noneMatch !== null && isListed(noneMatch, current)) throw matched(noneMatch, current);
}

function isListed(tags: readonly string[] | '*', current: ResourceState | null): boolean {
  return current !== null && (tags === '*' || tags.includes(current.etag));
}

/** Dates in headers have no fractions of a second. */
export function toSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}

function notMatched(current: ResourceState | null): Refusal {
  if (current === null) {
    return new Refusal('PreconditionFailed', 'If-Match was sent, but there is no entry with this name.', {
      target: 'If-Match',
      hint: 'Leave If-Match out, or send If-None-Match: * to create it.',
    });
  }
  return new Refusal('PreconditionFailed', 'The entry has changed: its current ETag is not in If-Match.', {
    target: 'If-Match',
    hint: `Read it again; its ETag is ${current.etag} now.`,
  });
}

function modifiedSince({ modifiedAt }: ResourceState): Refusal {
  return new Refusal('PreconditionFailed', 'The entry has changed since the date in If-Unmodified-Since.', {
    target: 'If-Unmodified-Since',
    hint: `Read it again; it was last modified on ${new Date(modifiedAt).toUTCString()}.`,
  });
}

function matched(tags: EntityTags, current: ResourceState | null): Refusal {
  const message = tags === '*' ? 'It exists already, and If-None-Match is *.' : 'If-None-Match names its current ETag.';
  return new Refusal('PreconditionFailed', message, {
    target: 'If-None-Match',
    hint: `Its ETag is ${current?.etag}; send that as If-Match to change it.`,
  });
}
