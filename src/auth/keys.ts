// An environment's own keys, made at its first start and kept in `keys.json`, readable by the owner only:
//   { "Signing": [private JWK, …], "Cookies": [text, …], "Cursors": text }
// The first signing key signs; all of them verify.

import { randomBytes } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

export const signingAlgorithm = 'ES256';

export interface Keys {
  signing: JWK[];
  cookies: string[];
  /** Authenticates the cursors that clients hand back. */
  cursors: string;
}

export async function openKeys(folder: string): Promise<Keys> {
  const path = join(folder, 'keys.json');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const made = await makeKeys();
    await writeDurably(path, JSON.stringify({ Signing: made.signing, Cookies: made.cookies, Cursors: made.cursors }));
    return made;
  }
  const { Signing, Cookies, Cursors } = JSON.parse(text) as { Signing: JWK[]; Cookies: string[]; Cursors: string };
  return { signing: Signing, cookies: Cookies, cursors: Cursors };
}

async function makeKeys(): Promise<Keys> {
  const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = randomBytes(12).toString('base64url');
  return {
    signing: [{ ...jwk, kid, alg: signingAlgorithm, use: 'sig' }],
    cookies: [randomBytes(32).toString('base64url')],
    cursors: randomBytes(32).toString('base64url'),
  };
}

async function writeDurably(path: string, text: string): Promise<void> {
  const unfinished = `${path}.new`;
  const file = await open(unfinished, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
