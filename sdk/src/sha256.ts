// SHA-256 of a stream (FIPS 180-4), because Web Crypto hashes only complete inputs. In Node, its own implementation.

export interface Hash {
  update(bytes: Uint8Array): void;
  /** In hex. Nothing can be added afterwards. */
  digest(): string;
}

export function startSha256(): Hash {
  return startNative() ?? new PlainSha256();
}

interface NativeHash {
  update(bytes: Uint8Array): void;
  digest(encoding: 'hex'): string;
}

interface NodeProcess {
  getBuiltinModule?: (name: string) => { createHash(algorithm: string): NativeHash } | undefined;
}

/** Without an import, which bundlers for browsers could not resolve. */
function startNative(): Hash | undefined {
  const { process } = globalThis as { process?: NodeProcess };
  const hash = process?.getBuiltinModule?.('node:crypto')?.createHash('sha256');
  return hash && { update: (bytes) => hash.update(bytes), digest: () => hash.digest('hex') };
}

const blockBytes = 64;

/** The first 32 bits of the fractional parts of the square or cube roots of the first primes. */
function fractions(count: number, root: 2 | 3): Uint32Array {
  const values: number[] = [];
  for (let n = 2; values.length < count; n++) {
    let isPrime = true;
    for (let d = 2; d * d <= n; d++) isPrime &&= n % d !== 0;
    if (isPrime) values.push((n ** (1 / root) % 1) * 2 ** 32);
  }
  return Uint32Array.from(values);
}

const roundConstants = /* @__PURE__ */ fractions(64, 3);

export class PlainSha256 implements Hash {
  readonly #state = fractions(8, 2);
  readonly #words = new Uint32Array(64);
  readonly #block = new Uint8Array(blockBytes);
  readonly #view = new DataView(this.#block.buffer);
  #filled = 0;
  #total = 0;

  update(bytes: Uint8Array): void {
    this.#total += bytes.byteLength;
    for (let at = 0; at < bytes.byteLength; ) {
      const taken = Math.min(blockBytes - this.#filled, bytes.byteLength - at);
      this.#block.set(bytes.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled === blockBytes) this.#compress();
    }
  }

  digest(): string {
    const bits = this.#total * 8;
    const padding = new Uint8Array(((119 - (this.#total % blockBytes)) % blockBytes) + 1);
    padding[0] = 0x80;
    this.update(padding);
    this.#view.setUint32(56, Math.floor(bits / 2 ** 32));
    this.#view.setUint32(60, bits >>> 0);
    this.#compress();
    return Array.from(this.#state, (word) => word.toString(16).padStart(8, '0')).join('');
  }

  #compress(): void {
    const words = this.#schedule();
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = this.#state;
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (roundConstants[i] as number) + (words[i] as number)) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    const after = [a, b, c, d, e, f, g, h];
    for (let i = 0; i < 8; i++) this.#state[i] = (this.#state[i] as number) + (after[i] as number);
    this.#filled = 0;
  }

  #schedule(): Uint32Array {
    const words = this.#words;
    for (let i = 0; i < 16; i++) words[i] = this.#view.getUint32(i * 4);
    for (let i = 16; i < 64; i++) {
      const [w15, w2] = [words[i - 15] as number, words[i - 2] as number];
      const s0 = rotate(w15, 7) ^ rotate(w15, 18) ^ (w15 >>> 3);
      const s1 = rotate(w2, 17) ^ rotate(w2, 19) ^ (w2 >>> 10);
      words[i] = (words[i - 16] as number) + s0 + (words[i - 7] as number) + s1;
    }
    return words;
  }
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
