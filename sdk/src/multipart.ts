// A file with fields beside it, as multipart/form-data (RFC 7578), without reading the file: by hand, because FormData takes
// no streams.

import type { Prepared } from './content.ts';
import { makeKey } from './keys.ts';

export interface Framed {
  content: Prepared;
  contentType: string;
}

/** The fields come first, so that they are known when the bytes arrive. */
export function frame(content: Prepared, contentType: string, fields: [string, string][]): Framed {
  const boundary = makeKey();
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head =
    `${parts.join('')}--${boundary}\r\nContent-Disposition: form-data; name="filename"; filename="file"\r\n` +
    `Content-Type: ${contentType}\r\n\r\n`;
  const tail = `\r\n--${boundary}--\r\n`;
  return { content: wrap(content, head, tail), contentType: `multipart/form-data; boundary=${boundary}` };
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
