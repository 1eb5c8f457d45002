// Writes a ZIP file as a stream, from entries as they come. Only the current chunk and the central directory are in memory, the
// latter deflated: about twenty bytes per entry.

import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { toCentralHeader, toEnd, toLocalHeader, type ZipFacts } from './zip-records.ts';

export interface ZipEntry {
  /** The names from the top down. */
  path: readonly string[];
  isFolder: boolean;
  modifiedAtMs: number;
  sizeBytes: number;
  crc32: number;
  /** Exactly `sizeBytes` bytes. A chunk's memory may be reused once the next but one is requested. */
  read(): AsyncIterable<Buffer>;
}

const longestNameBytes = 0xffff;
/** Pieces below this size are copied together: one write to a socket costs more than the copy. */
const joinedBytes = 64 * 1024;

/** A chunk's memory is reused: it is valid until the next but one is requested. */
export function writeZip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  return join(writePieces(entries));
}

async function* writePieces(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const directory = new Directory();
  let offset = 0;
  for await (const entry of entries) {
    const facts: ZipFacts = { ...entry, name: toName(entry) };
    const header = toLocalHeader(facts);
    yield header;
    await directory.add(toCentralHeader(facts, offset));
    offset += header.length + entry.sizeBytes;
    if (!entry.isFolder) yield* readExactly(entry);
  }
  yield* directory.read();
  yield toEnd({ count: directory.count, sizeBytes: directory.sizeBytes, offset });
}

/** Such names cannot be stored; this makes sure that none leaves the service. */
function toName({ path, isFolder }: ZipEntry): Buffer {
  const bad = path.find((name) => name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name));
  if (bad !== undefined || path.length === 0) throw new Error('a name in an archive would lead elsewhere');
  const name = Buffer.from(path.join('/') + (isFolder ? '/' : ''));
  if (name.length > longestNameBytes) throw new Error(`a path of ${name.length} bytes does not fit into a ZIP`);
  return name;
}

/** The header has announced their number. */
async function* readExactly({ sizeBytes, read }: ZipEntry): AsyncGenerator<Buffer> {
  let given = 0;
  for await (const chunk of read()) {
    given += chunk.length;
    if (given > sizeBytes) break;
    yield chunk;
  }
  if (given !== sizeBytes) throw new Error('an entry of an archive has another size than was said');
}

const deflate = promisify(deflateRaw);
const inflate = promisify<Buffer, Buffer>(inflateRaw);
const blockBytes = 256 * 1024;

/** The central directory while it grows. Its records are much alike, so that deflating leaves little of them. */
class Directory {
  count = 0;
  sizeBytes = 0;
  readonly #blocks: Buffer[] = [];
  #open: Buffer[] = [];
  #openBytes = 0;

  async add(record: Buffer): Promise<void> {
    this.#open.push(record);
    this.#openBytes += record.length;
    this.count += 1;
    this.sizeBytes += record.length;
    if (this.#openBytes >= blockBytes) await this.#close();
  }

  async #close(): Promise<void> {
    const block = Buffer.concat(this.#open);
    this.#open = [];
    this.#openBytes = 0;
    this.#blocks.push(await deflate(block, { level: 1 }));
  }

  async *read(): AsyncGenerator<Buffer> {
    for (const block of this.#blocks) yield await inflate(block);
    yield* this.#open;
  }
}

async function* join(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const buffers = [Buffer.allocUnsafeSlow(joinedBytes), Buffer.allocUnsafeSlow(joinedBytes)] as const;
  let turn: 0 | 1 = 0;
  let filled = 0;
  for await (const piece of pieces) {
    if (filled > 0 && filled + piece.length > joinedBytes) {
      yield buffers[turn].subarray(0, filled);
      turn = turn === 0 ? 1 : 0;
      filled = 0;
    }
    if (piece.length < joinedBytes) filled += piece.copy(buffers[turn], filled);
    else yield piece;
  }
  if (filled > 0) yield buffers[turn].subarray(0, filled);
}
