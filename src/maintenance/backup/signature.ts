// The signature of a manifest: Ed25519, over its digest. The key is in `backup-key.pem` of the data folder, which is never part
// of a backup, or in a file of the operator's. Whoever can change a backup has everything in it, so nothing in it can prove
// that it was not changed.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '../../runtime/durable-file.ts';
import { BackupError, type Signature, type SignedManifest } from './manifest.ts';

export const signatureKeyName = 'backup-key.pem';
const context = 'cabinet backup manifest\n';

/** `unchecked`: it is signed, but no key was named to check it with. */
export interface SignatureState {
  state: 'valid' | 'unchecked' | 'missing';
  /** The fingerprint of the public key; null: it is not signed. */
  by: string | null;
}

/** The key of this data folder, created when it is first needed. */
export async function openFolderKey(dataFolder: string): Promise<KeyObject> {
  const path = join(dataFolder, signatureKeyName);
  const key = await readKeyFile(path);
  if (key !== null) return requirePrivate(path, key);
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeDurably(path, privateKey.export({ format: 'pem', type: 'pkcs8' }) as string);
  return privateKey;
}

/** A key of the operator's, to sign with. */
export async function openSigningKey(path: string): Promise<KeyObject> {
  return requirePrivate(path, await requireKeyFile(path));
}

/** Private or public, to check with. */
export async function requireKeyFile(path: string): Promise<KeyObject> {
  const key = await readKeyFile(path);
  if (key !== null) return key;
  throw new BackupError(`There is no key file ${path}. Make one: openssl genpkey -algorithm ed25519 -out ${path}`);
}

/** Null: there is no such file. */
export async function readKeyFile(path: string): Promise<KeyObject | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const key = toKey(text);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new BackupError(`${path} holds no Ed25519 key. Make one: openssl genpkey -algorithm ed25519 -out FILE`);
}

function toKey(pem: string): KeyObject | null {
  try {
    return pem.includes('PRIVATE KEY') ? createPrivateKey(pem) : createPublicKey(pem);
  } catch {
    return null;
  }
}

function requirePrivate(path: string, key: KeyObject): KeyObject {
  if (key.type === 'private') return key;
  throw new BackupError(`${path} holds a public key, which can only check. Sign with the private one.`);
}

export function toSigner(key: KeyObject): (digest: string) => Signature {
  const Key = toSpki(key).toString('base64');
  return (digest) => ({ Key, Value: sign(null, Buffer.from(context + digest), key).toString('base64') });
}

export function fingerprintOf(key: KeyObject): string {
  return toFingerprint(toSpki(key));
}

/** Like `ssh-keygen -l`: short enough to note down. */
function toFingerprint(spki: Buffer): string {
  return `SHA256:${createHash('sha256').update(spki).digest('base64').replace(/=+$/, '')}`;
}

function toSpki(key: KeyObject): Buffer {
  const isPublic = key.type === 'public';
  return (isPublic ? key : createPublicKey(key)).export({ format: 'der', type: 'spki' }) as Buffer;
}

/** Refuses a manifest that is not signed with the key. */
export function checkSignature(directory: string, signed: SignedManifest, key: KeyObject | null): SignatureState {
  const { digest, signature } = signed;
  if (signature === null) {
    if (key === null) return { state: 'missing', by: null };
    throw new BackupError(`The backup in ${directory} is not signed, but a key is named. ${advice}`);
  }
  const spki = Buffer.from(String(signature.Key), 'base64');
  const by = toFingerprint(spki);
  if (key === null) return { state: 'unchecked', by };
  const own = toSpki(key);
  if (!own.equals(spki)) {
    throw new BackupError(
      `The backup in ${directory} is signed with the key ${by}, not with ${toFingerprint(own)}. Name its key with --key-file. ${advice}`,
    );
  }
  const isValid = verify(
    null,
    Buffer.from(context + digest),
    key.type === 'public' ? key : createPublicKey(key),
    Buffer.from(String(signature.Value), 'base64'),
  );
  if (!isValid) throw new BackupError(`The signature of the backup in ${directory} is wrong. ${advice}`);
  return { state: 'valid', by };
}

const advice = 'Somebody may have changed the backup: do not restore it unless you know why.';
