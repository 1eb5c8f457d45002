// Bodies of multipart/form-data (RFC 7578) around files that are not read here. By hand, because FormData takes no streams.

import type { PreparedContent } from './content.ts';
import { makeKey } from './keys.ts';

interface MultipartBody {
  content: PreparedContent;
  contentType: string;
}

/** One file. The fields come first, so that they are known when the bytes arrive. */
export function toMultipart(content: PreparedContent, contentType: string, fields: [string, string][]): MultipartBody {
  const boundary = makeKey();
  const parts = fields.map(([name, value]) => `${toHead(boundary, { name })}${value}\r\n`);
  const head = parts.join('') + toHead(boundary, { name: 'filename', contentType, isFile: true });
  return { content: wrap(content, head, `\r\n--${boundary}--\r\n`), contentType: toType(boundary) };
}

export interface Part {
  name: string;
  content: Piece;
  contentType: string;
  isFile?: boolean;
}

type Piece<Buffer extends ArrayBufferLike = ArrayBufferLike> = Blob | Uint8Array<Buffer> | string;

/** Many files. If all are in memory the body is one array: a blob of a thousand pieces would be read piece by piece. */
export function toMultipartBatch(parts: Part[]): { body: Blob | Uint8Array<ArrayBuffer>; contentType: string } {
  const boundary = makeKey();
  const pieces = parts.flatMap((part): Piece[] => [toHead(boundary, part), part.content, '\r\n']);
  pieces.push(`--${boundary}--\r\n`);
  const isInMemory = (piece: Piece) => !(piece instanceof Blob);
  const body = pieces.every(isInMemory)
    ? join(pieces as Exclude<Piece, Blob>[])
    : new Blob(pieces as Piece<ArrayBuffer>[]);
  return { body, contentType: toType(boundary) };
}

/** A character of a string becomes three bytes at most. */
function join(pieces: Exclude<Piece, Blob>[]): Uint8Array<ArrayBuffer> {
  const room = pieces.reduce(
    (sum, piece) => sum + (typeof piece === 'string' ? piece.length * 3 : piece.byteLength),
    0,
  );
  const bytes = new Uint8Array(room);
  const encoder = new TextEncoder();
  let at = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') at += encoder.encodeInto(piece, bytes.subarray(at)).written;
    else {
      bytes.set(piece, at);
      at += piece.byteLength;
    }
  }
  return bytes.subarray(0, at);
}

function toHead(boundary: string, { name, contentType, isFile }: Partial<Part>): string {
  const file = isFile === true ? '; filename="file"' : '';
  const type = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`;
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${type}\r\n`;
}

function toType(boundary: string): string {
  return `multipart/form-data; boundary=${boundary}`;
}

function wrap({ blob, stream }: PreparedContent, head: string, tail: string): PreparedContent {
  if (blob !== undefined) return { blob: new Blob([head, blob, tail]) };
  const encoder = new TextEncoder();
  const wrapper = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    flush: (controller) => controller.enqueue(encoder.encode(tail)),
  });
  return { stream: stream.pipeThrough(wrapper) };
}
