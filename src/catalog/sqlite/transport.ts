// How a batch reaches the writer thread: one JSON text and one block with the bytes of all contents. Structured cloning
// would copy hundreds of small objects one by one (measured: a third of the cost of a save). Bytes travel only as `content`
// of a verb's input. In the block each content takes: SHA-256 (32), checksums, bytes.

import type { StoredContent } from '../verbs/stored-content.ts';

export type Batch = [name: string, input: unknown][];

export interface PackedBatch {
  text: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Stands for a content in the text: how many bytes of the block belong to it; null if it has none. */
interface PackedContent {
  sizeBytes: number;
  blob: string | null;
  isLeased: boolean | undefined;
  checksums: number | null;
  bytes: number | null;
}

interface WithContent {
  content?: StoredContent;
}

const sha256Bytes = 32;

export function pack(batch: Batch): PackedBatch {
  const pieces: Uint8Array[] = [];
  const plain = batch.map(([name, input]) => {
    const { content } = input as WithContent;
    if (content === undefined) return [name, input];
    pieces.push(content.sha256);
    if (content.checksums !== null) pieces.push(content.checksums);
    if (content.bytes !== null) pieces.push(content.bytes);
    return [name, { ...(input as object), content: toPackedContent(content) }];
  });
  return { text: JSON.stringify(plain), bytes: join(pieces) };
}

function toPackedContent({ sizeBytes, blob, isLeased, checksums, bytes }: StoredContent): PackedContent {
  return { sizeBytes, blob, isLeased, checksums: checksums?.byteLength ?? null, bytes: bytes?.byteLength ?? null };
}

function join(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.byteLength;
  }
  return joined;
}

export function unpack({ text, bytes }: PackedBatch): Batch {
  const batch = JSON.parse(text) as [string, { content?: PackedContent | StoredContent }][];
  let at = 0;
  const take = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  for (const [, input] of batch) {
    if (input.content === undefined) continue;
    const { sizeBytes, blob, isLeased, ...sizes } = input.content as PackedContent;
    const sha256 = take(sha256Bytes);
    const checksums = sizes.checksums === null ? null : take(sizes.checksums);
    input.content = { sizeBytes, blob, sha256, checksums, bytes: sizes.bytes === null ? null : take(sizes.bytes) };
    if (isLeased !== undefined) input.content.isLeased = isLeased;
  }
  return batch;
}
