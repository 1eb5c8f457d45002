// What was made from contents, on the disk, so that each is made once. The folder can be lost at any time: nothing is synced, and
// whatever cannot be read or is damaged is made again. What was not used for longest goes first when the folder is full.

import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

const checksumBytes = 4;

export class DisposableCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Sizes by file name, the least recently used first. */
  readonly #sizes = new Map<string, number>();
  #bytes = 0;
  #scanned: Promise<void> | null = null;
  #writes = 0;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** Null: it is not there, or damaged. */
  async read(name: string): Promise<Buffer | null> {
    const stored = await readFile(join(this.#folder, name)).catch(() => null);
    if (stored === null || stored.length <= checksumBytes) return null;
    const image = stored.subarray(checksumBytes);
    if (stored.readUInt32BE(0) !== crc32(image)) return null;
    this.#use(name, stored.length);
    return image;
  }

  /** Deletes what was made before: contents may have been removed since. */
  async deleteBefore(time: number): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name);
      const file = await stat(path).catch(() => null);
      if (file === null || file.mtimeMs >= time) continue;
      await rm(path, { force: true });
      this.#bytes -= this.#sizes.get(name) ?? 0;
      this.#sizes.delete(name);
    }
  }

  /** Never rejects: without a cache everything goes on, more slowly. */
  async write(name: string, image: Uint8Array): Promise<void> {
    try {
      this.#scanned ??= this.#scan();
      await this.#scanned;
      await this.#put(name, image);
      this.#use(name, image.length + checksumBytes);
      await this.#makeRoom();
    } catch {
      // The disk is full, or the folder is not writable.
    }
  }

  async #put(name: string, image: Uint8Array): Promise<void> {
    const checksum = Buffer.alloc(checksumBytes);
    checksum.writeUInt32BE(crc32(image));
    this.#writes += 1;
    const temporary = join(this.#folder, `.${process.pid}-${this.#writes}-${name}`);
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writev([checksum, image]);
    } finally {
      await file.close();
    }
    await rename(temporary, join(this.#folder, name));
  }

  #use(name: string, bytes: number): void {
    this.#bytes += bytes - (this.#sizes.get(name) ?? 0);
    this.#sizes.delete(name);
    this.#sizes.set(name, bytes);
  }

  async #makeRoom(): Promise<void> {
    for (const [name, bytes] of this.#sizes) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#sizes.delete(name);
      this.#bytes -= bytes;
      await rm(join(this.#folder, name), { force: true });
    }
  }

  /** What an earlier process left, the oldest first. */
  async #scan(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const found: { name: string; bytes: number; at: number }[] = [];
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const file = await stat(path).catch(() => null);
      if (file === null) continue;
      if (name.startsWith('.')) await rm(path, { force: true });
      else found.push({ name, bytes: file.size, at: file.mtimeMs });
    }
    for (const { name, bytes } of found.toSorted((a, b) => a.at - b.at)) this.#use(name, bytes);
  }
}
