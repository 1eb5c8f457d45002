// The text of a document on demand, by the same rules as for the index: the same formats, the same limits, and the same process that
// reads them. What was read a moment ago is kept, because a long text is fetched page by page.

import { LRUCache } from 'lru-cache';
import { type DocumentKind, type Readable, toReadable } from './document-kind.ts';
import { type Extractor, maxDocumentBytes } from './extractor.ts';
import type { FromExtractor, ToExtractor } from './extractor-thread.ts';
import { FairQueue } from './fair-queue.ts';
import { extractJson, extractText, maxTextBytes } from './text.ts';
import { Unreadable } from './unreadable.ts';

/** Plain text up to this size is read at once, in this thread. */
const smallBytes = 64 * 1024;
const maxKeptChars = 16 * 1024 * 1024;
const maxAttempts = 2;

export interface TextSource {
  space: number;
  name: string;
  contentType: string;
  sizeBytes: number;
  /** Of the content: equal contents have equal texts. */
  sha256: Uint8Array;
  /** The first bytes of the content. */
  readBytes(maxBytes: number): Promise<Buffer>;
}

/** Reads one document after the other. Null: it was interrupted for reasons outside the document. */
export type ExtractDocument = (request: ToExtractor) => Promise<FromExtractor | null>;

export class DocumentTexts {
  readonly #queue = new FairQueue();
  readonly #extract: ExtractDocument;
  readonly #kept = new LRUCache<string, FromExtractor>({ maxSize: maxKeptChars });

  constructor(extract: ExtractDocument) {
    this.#extract = extract;
  }

  /** For other threads. */
  extract(request: ToExtractor): Promise<FromExtractor | null> {
    return this.#extract(request);
  }

  /** Null: this type of content has no text. A reason: it should have some, but cannot be read. */
  async read(source: TextSource): Promise<FromExtractor | null> {
    const readable = toReadable(source.contentType, source.name);
    if (readable === null) return null;
    const isPlain = readable.kind === 'text' || readable.kind === 'json';
    if (isPlain && source.sizeBytes <= smallBytes) return readPlain(readable, await source.readBytes(smallBytes));
    const key = `${Buffer.from(source.sha256).toString('base64')} ${readable.kind} ${readable.charset}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    return await this.#queue.run(source.space, async () => {
      // Whoever was first in the queue may have read it.
      const outcome = this.#kept.get(key) ?? (await this.#readDocument(readable, source));
      const chars = 'text' in outcome ? outcome.text.length : outcome.reason.length;
      this.#kept.set(key, outcome, { size: chars + 1 });
      return outcome;
    });
  }

  async #readDocument({ kind, charset }: Readable, source: TextSource): Promise<FromExtractor> {
    const maxBytes = toMaxBytes(kind);
    const isWhole = source.sizeBytes <= maxBytes;
    // Other formats have their directory at the end, so that a part of them is useless.
    if (!isWhole && kind !== 'text' && kind !== 'json' && kind !== 'html') {
      return { reason: `it is larger than ${maxBytes / 1024 / 1024} MiB` };
    }
    const bytes = new Uint8Array(await source.readBytes(maxBytes));
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const outcome = await this.#extract({ kind, charset, bytes });
      if (outcome !== null) return 'text' in outcome ? { ...outcome, isCut: outcome.isCut || !isWhole } : outcome;
    }
    return { reason: 'reading it was interrupted' };
  }
}

function toMaxBytes(kind: DocumentKind): number {
  return kind === 'text' || kind === 'json' ? maxTextBytes : maxDocumentBytes;
}

function readPlain({ kind, charset }: Readable, bytes: Buffer): FromExtractor {
  try {
    return { text: kind === 'json' ? extractJson(bytes) : extractText(bytes, charset), isCut: false };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { reason: error.message };
  }
}

/** The process reads one document at a time, whichever thread sends it. */
export function oneAtATime(extractor: Pick<Extractor, 'extract'>): ExtractDocument {
  let last: Promise<unknown> = Promise.resolve();
  return (request) => {
    const reading = last.then(() => extractor.extract(request));
    last = reading;
    return reading;
  };
}
