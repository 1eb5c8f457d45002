// Parses `CABINET_AUDIT_ANCHOR`, where signed heads of the journal are kept: a file, or
//   s3://[key:secret@]bucket/prefix[?endpoint=…&…&lockDays=N]
// as in `CABINET_BLOBS`. `lockDays`: the objects are locked (mode COMPLIANCE) for that long; without it as the bucket says.

import { resolve } from 'node:path';
import { parseBlobsSetting, type S3Setting, withoutSecret } from '../blobs/blobs-setting.ts';

export type AnchorSetting = { kind: 'file'; path: string } | (S3Setting & { lockDays: number | null });

const maxLockDays = 36_500;

/** Null: there is none. Throws an error with the mistakes. */
export function parseAnchorSetting(text: string): AnchorSetting | null {
  if (text === '') return null;
  const url = text.startsWith('s3://') ? URL.parse(text) : null;
  if (url === null) {
    if (/^\w+:/.test(text))
      throw new Error(`${JSON.stringify(withoutSecret(text))} is neither a file nor s3://bucket/prefix`);
    return { kind: 'file', path: resolve(text) };
  }
  const days = url.searchParams.get('lockDays');
  if (days !== null && !(/^[1-9]\d{0,4}$/.test(days) && Number(days) <= maxLockDays)) {
    throw new Error(`lockDays=${JSON.stringify(days)} is not a number from 1 to ${maxLockDays}`);
  }
  url.searchParams.delete('lockDays');
  return { ...(parseBlobsSetting(url.href) as S3Setting), lockDays: days === null ? null : Number(days) };
}
