// An authenticator in software, which can also do what a real one never does: sign for another page, another challenge, or with
// another key. Formats: WebAuthn Level 3, sections 6.1 and 6.5.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const presence = 0x01;
const attested = 0x40;
const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

export interface Assertion {
  challenge: string;
  origin: string;
  host: string;
  type?: string;
  flags?: number;
  counter?: number;
  key?: KeyObject;
  id?: string;
}

export class SoftAuthenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  readonly #id = randomBytes(16);
  #counter = 0;

  get id(): string {
    return base64url(this.#id);
  }

  get key(): KeyObject {
    return this.#keys.privateKey;
  }

  /** What `navigator.credentials.create` gives. */
  create({ challenge, origin, host, type = 'webauthn.create' }: Assertion): object {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const publicKey = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]);
    const idLength = Buffer.alloc(2);
    idLength.writeUInt16BE(this.#id.length);
    const credential = Buffer.concat([Buffer.alloc(16), idLength, this.#id, isoCBOR.encode(publicKey)]);
    const authData = Buffer.concat([toHead(host, presence | attested, 0), credential]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ]);
    const response = {
      clientDataJSON: base64url(JSON.stringify({ type, challenge, origin, crossOrigin: false })),
      attestationObject: base64url(isoCBOR.encode(attestation as never)),
    };
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  /** What `navigator.credentials.get` gives, as JSON text. */
  get(assertion: Assertion): string {
    const {
      challenge,
      origin,
      host,
      type = 'webauthn.get',
      flags = presence,
      key = this.key,
      id = this.id,
    } = assertion;
    this.#counter = assertion.counter ?? this.#counter + 1;
    const clientData = JSON.stringify({ type, challenge, origin, crossOrigin: false });
    const authData = toHead(host, flags, this.#counter);
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), key);
    const response = {
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(authData),
      signature: base64url(signature),
    };
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }
}

function toHead(host: string, flags: number, counter: number): Buffer {
  const rest = Buffer.alloc(5);
  rest.writeUInt8(flags);
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(host), rest]);
}
