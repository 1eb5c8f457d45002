// Reads the preconditions of a write. Downloads have their own, with 304 and 412: downloads/conditions.ts.

import type { IncomingMessage } from 'node:http';
import type { EntityTags, Precondition } from '../domain/precondition.ts';
import { Refusal } from '../domain/refusal.ts';
import { readHttpDate } from './downloads/http-date.ts';
import { type EntityTag, readEntityTags } from './entity-tags.ts';

/** Null: the write is unconditional. */
export function readPrecondition({ headers, headersDistinct }: IncomingMessage): Precondition | null {
  const match = readTags('If-Match', headers['if-match'], ({ isWeak }) => !isWeak);
  const noneMatch = readTags('If-None-Match', headers['if-none-match'], () => true);
  // "A recipient MUST ignore If-Unmodified-Since if the request contains an If-Match header field", and if it is not one date.
  const dates = match === null ? headersDistinct['if-unmodified-since'] : undefined;
  const unmodifiedSince = dates?.length === 1 ? readHttpDate(dates[0] ?? '') : null;
  if (match === null && noneMatch === null && unmodifiedSince === null) return null;
  return { match, noneMatch, unmodifiedSince };
}

/** A malformed list fails, because ignoring it could overwrite what the client wanted to protect. */
function readTags(name: string, header: string | undefined, isComparable: (tag: EntityTag) => boolean): EntityTags {
  if (header === undefined) return null;
  const tags = readEntityTags(header);
  if (tags === null) {
    throw new Refusal('PreconditionFailed', `${name} must be * or a list of ETags in quotes.`, {
      target: name,
      hint: `Send an ETag as you got it, with its quotes: ${name}: "n4bQgYhMfWWaL".`,
    });
  }
  return tags === '*' ? '*' : tags.filter(isComparable).map(({ tag }) => tag);
}
