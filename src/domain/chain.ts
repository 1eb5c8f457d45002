// The journal's chain: each link is the SHA-256 (base64) of the link before it, as text, and of the row without its link,
// as a JSON array. The first row follows on the empty text.

import { hash } from 'node:crypto';

export interface Linked {
  at: number;
  space: number;
  by: string;
  action: string;
  entry: string;
  request: string;
  details: string;
}

export function toLink(before: string, position: number, row: Linked): string {
  const { at, space, by, action, entry, request, details } = row;
  const text = JSON.stringify([position, at, space, by, action, entry, request, details]);
  return hash('sha256', before + text, 'base64');
}
