// The journal's chain: each link is made of the link before it, as text, and of the row without its link, as a JSON array. The
// first row follows on the empty text. A link is `<key>.<code>`: the id of a key that is kept outside of the database, and the
// HMAC-SHA-256 under it (base64). Rows of earlier releases have the SHA-256 alone, which anyone can compute.

import { createHmac, hash } from 'node:crypto';

/** One line of the journal. Its place and its link in the chain are given by the engine, in commit order. */
export interface Change {
  at: number;
  space: number;
  by: string;
  action: string;
  entry: string;
  /** The tracking id of the request that made the change. */
  request: string;
  /** JSON: what a reader of the feed needs beside the entry as it is now. */
  details: string;
}

export interface JournalKey {
  /** Eight hexadecimal digits. */
  id: string;
  secret: string;
}

/** The row with which a key takes over from none, or from another one. Its link is made with the new key. */
export const keyChangeAction = 'journal.keyed';

/** `key`: null in journals of earlier releases. */
export function toLink(before: string, position: number, row: Change, key: JournalKey | null): string {
  const { at, space, by, action, entry, request, details } = row;
  const text = before + JSON.stringify([position, at, space, by, action, entry, request, details]);
  if (key === null) return hash('sha256', text, 'base64');
  return `${key.id}.${createHmac('sha256', key.secret).update(text).digest('base64')}`;
}

/** The id of the key that a link was made with; null: none. */
export function keyOfLink(link: string): string | null {
  const dot = link.indexOf('.');
  return dot === -1 ? null : link.slice(0, dot);
}

/** What must be appended before anything else, if the chain ends with another key; null: nothing. */
export function toKeyChange(
  head: { position: number; link: string },
  key: JournalKey | null,
  at: number,
): Change | null {
  if (key === null || head.position === 0 || keyOfLink(head.link) === key.id) return null;
  const details = JSON.stringify({ key: key.id, before: keyOfLink(head.link) });
  return { at, space: 0, by: 'operator', action: keyChangeAction, entry: '', request: '', details };
}

export function isSameRow<Row extends object>(one: Row, other: Row | undefined): boolean {
  return other !== undefined && (Object.keys(one) as (keyof Row)[]).every((field) => one[field] === other[field]);
}
