// Builds the shim (shim.c) and speaks to it: which environment a watched service needs, and the control block that both
// have in memory. Where there is no compiler, or no Linux, whatever needs it is skipped, and says so loudly.

import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { hasProgram } from '../service/programs.ts';

export const callKinds = { open: 1, write: 2, sync: 4, truncate: 8, rename: 16, unlink: 32, mkdir: 64 } as const;
export type CallKind = keyof typeof callKinds;
export const allKinds = Object.keys(callKinds) as CallKind[];

const actions = { none: 0, fail: 1, shorten: 2, killBefore: 3, killAfter: 4, shortenThenFail: 5 } as const;
export type Action = keyof typeof actions;

/** As Linux numbers them. */
export const errors = { EIO: 5, ENOSPC: 28, EMFILE: 24, EROFS: 30 } as const;
export type ErrorName = keyof typeof errors;

// Where the fields of `struct control` stand.
const at = { action: 0, kinds: 4, countdown: 8, error: 12, fired: 16, firedKind: 20, delay: 24, again: 28 };
const callsAt = 32;
const failsNextAt = 60;
const firedAt = 64;
const pathAt = 72;
const placeAt = pathAt + 4096;
const placeBytes = 64;
const sizeBytes = placeAt + placeBytes;

/** Path of the built shim in this folder; null: it cannot be had. */
export function buildShim(folder: string): string | null {
  if (process.platform !== 'linux') {
    console.error('SKIPPED: crash states, seeded bugs, faults and named points (the shim is for Linux)');
    return null;
  }
  if (!hasProgram('gcc')) return null;
  const target = join(folder, 'shim.so');
  const words = ['-O2', '-Wall', '-Wextra', '-Werror', '-fPIC', '-shared', '-o', target];
  const built = spawnSync('gcc', [...words, join(import.meta.dirname, 'shim.c'), '-ldl', '-lpthread']);
  if (built.status === 0) return target;
  throw new Error(`the shim cannot be built: ${built.stderr}`);
}

export interface Arming {
  action: Action;
  /** The Nth call from now on, of these kinds. */
  nth: number;
  kinds?: readonly CallKind[];
  error?: ErrorName;
  /** Only what happens to paths that begin so, relative to the data folder. */
  place?: string;
}

/** What became of an arming. */
export interface Fired {
  isFired: boolean;
  kind: CallKind | null;
  path: string;
  /** How often the file whose sync was failed was synced after that. */
  syncsAgain: number;
  atMs: number;
}

export class Control {
  readonly path: string;
  readonly #descriptor: number;

  constructor(path: string) {
    this.path = path;
    this.#descriptor = openSync(path, 'w+');
    ftruncateSync(this.#descriptor, sizeBytes);
  }

  /** Lets every sync take so long: what does not wait for it then runs ahead of it. */
  delaySyncs(microseconds: number): void {
    this.#write(at.delay, microseconds);
  }

  arm({ action, nth, kinds = allKinds, error = 'EIO', place = '' }: Arming): void {
    this.disarm();
    for (const field of [at.fired, at.firedKind, at.again, failsNextAt]) this.#write(field, 0);
    for (const index of allKinds.keys()) this.#write(callsAt + index * 4, 0);
    writeSync(this.#descriptor, Buffer.from(place.padEnd(placeBytes, '\0')), 0, placeBytes, placeAt);
    this.#write(at.error, errors[error]);
    this.#write(at.countdown, nth);
    this.#write(
      at.kinds,
      kinds.reduce((sum, kind) => sum | callKinds[kind], 0),
    );
    this.#write(at.action, actions[action]);
  }

  disarm(): void {
    this.#write(at.action, actions.none);
  }

  look(): Fired {
    const bytes = Buffer.alloc(sizeBytes);
    readSync(this.#descriptor, bytes, 0, sizeBytes, 0);
    const firedKind = bytes.readUInt32LE(at.firedKind);
    const end = bytes.indexOf(0, pathAt);
    return {
      isFired: bytes.readUInt32LE(at.fired) !== 0,
      kind: allKinds.find((kind) => callKinds[kind] === firedKind) ?? null,
      path: bytes.toString('utf8', pathAt, end),
      syncsAgain: bytes.readUInt32LE(at.again),
      atMs: Number(bytes.readBigInt64LE(firedAt)),
    };
  }

  /** Calls of these kinds since it was last armed. */
  countCalls(kinds: readonly CallKind[]): number {
    const bytes = Buffer.alloc(sizeBytes);
    readSync(this.#descriptor, bytes, 0, sizeBytes, 0);
    return kinds.reduce((sum, kind) => sum + bytes.readUInt32LE(callsAt + allKinds.indexOf(kind) * 4), 0);
  }

  #write(field: number, value: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    writeSync(this.#descriptor, bytes, 0, 4, field);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
