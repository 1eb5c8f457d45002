// Splits a multipart body at its delimiters, also where a delimiter is split between chunks. Knows nothing of part headers.

import { Refusal } from '../../domain/refusal.ts';

const maxHeaderBytes = 16 * 1024;
const noBytes = Buffer.alloc(0);
const headerEnd = Buffer.from('\r\n\r\n');
const dash = 0x2d;
const carriageReturn = 0x0d;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Walks over the sections of a body: preamble, parts, epilogue. For each, call `nextSlice` until null, then `readHeaderBlock`.
 *
 * The delimiter is CRLF, two dashes and the boundary. It has a carriage return only at its start, so a delimiter can start at
 * one position at most at the end of a chunk, and a number (`#matched`) is enough to remember it.
 */
export class MultipartScanner {
  /** Counts the sections, so that a body that was left behind notices. */
  section = 0;
  readonly #source: AsyncIterator<Buffer>;
  readonly #delimiter: Buffer;
  /** The rest of the chunk that was pulled last. */
  #rest: Buffer = noBytes;
  // The line break before a section (the preamble has none) may already belong to the delimiter after it. So these two bytes
  // count as matched, but they are not content.
  #matched = 2;
  #notContent = 2;
  #isAtDelimiter = false;
  #isClosed = false;

  constructor(source: AsyncIterator<Buffer>, boundary: string) {
    this.#source = source;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  /** The next bytes of this section. Null: its delimiter was reached (for the epilogue: the end of the body). */
  async nextSlice(): Promise<Buffer | null> {
    while (!this.#isAtDelimiter) {
      const chunk = await this.#pull();
      if (this.#isClosed) return chunk;
      if (chunk === null) throw new Refusal('InvalidBody', 'The body ended before the closing boundary.');
      const slice = this.#matched > 0 ? this.#matchOn(chunk) : this.#search(chunk);
      if (slice.length > 0) return slice;
    }
    return null;
  }

  /** The header block after a delimiter; null after the closing one. */
  async readHeaderBlock(): Promise<string | null> {
    let held: Buffer = noBytes;
    for (;;) {
      const chunk = await this.#pull();
      if (chunk === null) throw new Refusal('InvalidBody', 'The body ended before the closing boundary.');
      const before = held.length;
      const window = chunk.subarray(0, maxHeaderBytes + headerEnd.length - before);
      held = before === 0 ? window : Buffer.concat([held, window]);
      if (held[0] === dash && held[1] === dash) {
        this.#startSection(chunk.subarray(2 - before));
        this.#isClosed = true;
        return null;
      }
      // The search starts at the line break that ends the delimiter's own line, so an empty block is found too.
      const end = held.indexOf(headerEnd, Math.max(0, before - headerEnd.length + 1));
      if (end >= 0) {
        this.#startSection(chunk.subarray(end + headerEnd.length - before));
        return toText(held.subarray(0, end));
      }
      if (held.length >= maxHeaderBytes + headerEnd.length) {
        throw new Refusal('InvalidBody', `The headers of a part exceed ${maxHeaderBytes} bytes.`);
      }
    }
  }

  #startSection(rest: Buffer): void {
    this.#rest = rest;
    this.#matched = 2;
    this.#notContent = 2;
    this.#isAtDelimiter = false;
    this.section += 1;
  }

  async #pull(): Promise<Buffer | null> {
    let chunk = this.#rest;
    this.#rest = noBytes;
    while (chunk.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) return null;
      chunk = next.value;
    }
    return chunk;
  }

  /** Continues a delimiter that started in an earlier chunk. If it turns out not to be one, its bytes are content. */
  #matchOn(chunk: Buffer): Buffer {
    const end = Math.min(this.#delimiter.length, this.#matched + chunk.length);
    const used = end - this.#matched;
    if (chunk.compare(this.#delimiter, this.#matched, end, 0, used) === 0) {
      this.#matched = end;
      this.#rest = chunk.subarray(used);
      this.#isAtDelimiter = end === this.#delimiter.length;
      return noBytes;
    }
    const content = Buffer.from(this.#delimiter.subarray(this.#notContent, this.#matched));
    this.#matched = 0;
    this.#notContent = 0;
    this.#rest = chunk;
    return content;
  }

  #search(chunk: Buffer): Buffer {
    const found = chunk.indexOf(this.#delimiter);
    if (found >= 0) {
      this.#rest = chunk.subarray(found + this.#delimiter.length);
      this.#isAtDelimiter = true;
      return chunk.subarray(0, found);
    }
    const tail = chunk.subarray(Math.max(0, chunk.length - this.#delimiter.length + 1));
    const start = tail.lastIndexOf(carriageReturn);
    if (start < 0) return chunk;
    const length = tail.length - start;
    if (tail.compare(this.#delimiter, 0, length, start) !== 0) return chunk;
    this.#matched = length;
    return chunk.subarray(0, chunk.length - length);
  }
}

function toText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refusal('InvalidBody', 'The headers of a part are not valid UTF-8.');
  }
}
