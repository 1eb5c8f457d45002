// The journal's chain: each link is the SHA-256 (base64) of the link before it, as text, and of the row without its link,
// as a JSON array. The first row follows on the empty text.

import { hash } from 'node:crypto';

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

export function toLink(before: string, position: number, row: Change): string {
  const { at, space, by, action, entry, request, details } = row;
  const text = JSON.stringify([position, at, space, by, action, entry, request, details]);
  return hash('sha256', before + text, 'base64');
}

export function isSameRow<Row extends object>(one: Row, other: Row | undefined): boolean {
  return other !== undefined && (Object.keys(one) as (keyof Row)[]).every((field) => one[field] === other[field]);
}
