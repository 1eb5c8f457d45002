// Files with fields beside them, as multipart/form-data (RFC 7578), without reading the files: by hand, because FormData takes
// no streams.

import type { Prepared } from './content.ts';
import { makeKey } from './keys.ts';

export interface Framed {
  content: Prepared;
  contentType: string;
}

/** One file. The fields come first, so that they are known when the bytes arrive. */
export function frame(content: Prepared, contentType: string, fields: [string, string][]): Framed {
  const boundary = makeKey();
  const parts = fields.map(([name, value]) => `${toHead(boundary, { name })}${value}\r\n`);
  const head = parts.join('') + toHead(boundary, { name: 'filename', contentType, isFile: true });
  return { content: wrap(content, head, `\r\n--${boundary}--\r\n`), contentType: toType(boundary) };
}

export interface Part {
  name: string;
  content: Blob;
  contentType: string;
  isFile?: boolean;
}

/** Many. */
export function frameMany(parts: Part[]): { blob: Blob; contentType: string } {
  const boundary = makeKey();
  const pieces = parts.flatMap((part) => [toHead(boundary, part), part.content, '\r\n']);
  return { blob: new Blob([...pieces, `--${boundary}--\r\n`]), contentType: toType(boundary) };
}

function toHead(boundary: string, { name, contentType, isFile }: Partial<Part>): string {
  const file = isFile === true ? '; filename="file"' : '';
  const type = contentType === undefined ? '' : `Content-Type: ${contentType}\r\n`;
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${type}\r\n`;
}

function toType(boundary: string): string {
  return `multipart/form-data; boundary=${boundary}`;
}

function wrap({ blob, stream }: Prepared, head: string, tail: string): Prepared {
  if (blob !== undefined) return { blob: new Blob([head, blob, tail]) };
  const encoder = new TextEncoder();
  const wrapper = new TransformStream<Uint8Array, Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(head)),
    flush: (controller) => controller.enqueue(encoder.encode(tail)),
  });
  return { stream: stream.pipeThrough(wrapper) };
}
