// Conditional requests for a file's bytes (RFC 9110, section 13): whether to send them, and whether a range is still valid.

import type { IncomingMessage } from 'node:http';
import { toSecond } from '../../domain/precondition.ts';
import { readEntityTags } from '../entity-tags.ts';
import { readHttpDate } from './http-date.ts';

interface Validators {
  /** Strong: the digest of the bytes, quoted. */
  etag: string;
  modifiedAtMs: number;
  /** Whether no other version was saved in the same second. Otherwise the date is weak, and `If-Range` cannot use it. */
  isDated: boolean;
}

/** In the order that RFC 9110, section 13.2.2, prescribes. */
export function checkConditions({ headers }: IncomingMessage, validators: Validators): 'send' | 'unchanged' | 'failed' {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined) {
    if (!isListed(match, validators.etag, false)) return 'failed';
  } else if (isChangedSince(headers['if-unmodified-since'], validators) === true) return 'failed';
  if (noneMatch !== undefined) return isListed(noneMatch, validators.etag, true) ? 'unchanged' : 'send';
  return isChangedSince(headers['if-modified-since'], validators) === false ? 'unchanged' : 'send';
}

/** `If-Range`: when the file has changed since, the range is ignored and the whole file is sent. */
export function matchesIfRange({ headers }: IncomingMessage, { etag, modifiedAtMs, isDated }: Validators): boolean {
  const condition = headers['if-range'];
  if (condition === undefined) return true;
  const text = String(condition).trim();
  if (text.startsWith('"')) return text === etag;
  return isDated && readHttpDate(text) === toSecond(modifiedAtMs);
}

function isListed(header: string, etag: string, isWeakEnough: boolean): boolean {
  const tags = readEntityTags(header);
  return tags === '*' || (tags ?? []).some(({ isWeak, tag }) => tag === etag && (isWeakEnough || !isWeak));
}

/** Null: there is no date, or an invalid one, which the standard says to ignore. */
function isChangedSince(header: string | undefined, { modifiedAtMs }: Validators): boolean | null {
  const date = header === undefined ? null : readHttpDate(header);
  return date === null ? null : toSecond(modifiedAtMs) > date;
}
