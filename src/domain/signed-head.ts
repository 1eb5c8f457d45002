// A signed head of the journal: its last position and link at some time, to be kept where whoever can change the database cannot.
// The signing key is Ed25519, derived from a key of the chain by HKDF-SHA-256 (no salt, info `cabinet journal heads`), so that
// everyone can check a head with the public key, and only the service can make one.

import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';
import type { JournalKey } from './chain.ts';

export interface JournalHead {
  environment: string;
  at: string;
  position: number;
  link: string;
}

/** One line of the anchor, as JSON. */
interface Line {
  Environment: string;
  At: string;
  Position: number;
  Link: string;
  /** The id of the chain's key. */
  Key: string;
  /** Base64 of the SPKI. */
  PublicKey: string;
  Signature: string;
}

export function toSignedLine(head: JournalHead, key: JournalKey): string {
  const privateKey = toPrivateKey(key);
  const line: Line = {
    Environment: head.environment,
    At: head.at,
    Position: head.position,
    Link: head.link,
    Key: key.id,
    PublicKey: createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).toString('base64'),
    Signature: sign(null, toText(head), privateKey).toString('base64'),
  };
  return JSON.stringify(line);
}

export type ReadHead = { head: JournalHead } | { unknownKey: string } | { problem: string };

/** Only keys that are known count, not the public key of the line. Null: it is of another environment. */
export function readSignedLine(text: string, environment: string, keys: readonly JournalKey[]): ReadHead | null {
  const line = parse(text);
  if (line === null) return { problem: 'a line of the anchor cannot be read' };
  if (line.Environment !== environment) return null;
  const key = keys.find(({ id }) => id === line.Key);
  if (key === undefined) return { unknownKey: String(line.Key) };
  const head = { environment, at: String(line.At), position: line.Position, link: String(line.Link) };
  const signature = Buffer.from(String(line.Signature), 'base64');
  const isSigned = Number.isSafeInteger(head.position) && verify(null, toText(head), toPublicKey(key), signature);
  return isSigned ? { head } : { problem: 'the signature of a head in the anchor is wrong' };
}

function parse(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Line;
    return typeof line === 'object' ? line : null;
  } catch {
    return null;
  }
}

function toText({ environment, at, position, link }: JournalHead): Buffer {
  return Buffer.from(`cabinet journal head\n${JSON.stringify([environment, at, position, link])}`);
}

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

function toPrivateKey({ secret }: JournalKey): KeyObject {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', 'cabinet journal heads', 32));
  return createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
}

function toPublicKey(key: JournalKey): KeyObject {
  return createPublicKey(toPrivateKey(key));
}
