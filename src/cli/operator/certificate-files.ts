// Files that go with certificates. A private key is made here, where it will be used; only its public half is sent to
// whoever issues the certificate.

import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface CertificateOptions {
  certificate?: string;
  issueCertificate?: string;
}

/** As PEM, whichever of the two usual forms the file has. */
export function readCertificateFile(path: string): string {
  const bytes = readFileSync(path);
  return bytes.includes('-----BEGIN') ? bytes.toString('utf8') : new X509Certificate(bytes).toString();
}

/** Makes a key and two files, `<name>.key.pem` and `<name>.cert.pem`; files that are there are not touched. `issue` gets
 *  the public key and gives back an answer with `CertificatePem`; if it fails, the files are gone again. */
export async function withNewKey(
  folder: string,
  name: string,
  issue: (publicKeyPem: string) => Promise<object>,
): Promise<object> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const safe = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  const keyPath = resolve(join(folder, `${safe}.key.pem`));
  const certificatePath = resolve(join(folder, `${safe}.cert.pem`));
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const there = [keyPath, certificatePath].find((path) => existsSync(path));
  if (there !== undefined) throw new Error(`${there} is there already and stays as it is. Choose another folder.`);
  writeFileSync(keyPath, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 });
  let certificate: number;
  try {
    certificate = openSync(certificatePath, 'wx', 0o644);
  } catch (error) {
    rmSync(keyPath);
    throw error;
  }
  try {
    const issued = await issue(publicKey.export({ type: 'spki', format: 'pem' }).toString());
    const { CertificatePem, ...rest } = issued as { CertificatePem: string };
    writeSync(certificate, CertificatePem);
    return { ...rest, Certificate: certificatePath, Key: keyPath };
  } catch (error) {
    rmSync(keyPath);
    rmSync(certificatePath);
    throw error;
  } finally {
    closeSync(certificate);
  }
}
