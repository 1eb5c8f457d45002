// Multipart bodies, written by hand so that tests decide every byte of them.

import { type Headers, headerLines } from './client.ts';

export type Part = {
  name?: string;
  disposition?: 'form-data' | 'attachment';
  fileName?: string;
  type?: string;
  content: string | Uint8Array;
};

export const BOUNDARY = 'cabinet-7d1f0e';
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`;

export function multipart(parts: readonly Part[], boundary = BOUNDARY): Buffer {
  const chunks = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${partHead(part)}\r\n`),
    Buffer.from(part.content as string),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
}

/** The file's part, as most clients write it. */
export function filePart(content: string | Uint8Array, more: Partial<Part> = {}): Part {
  return { name: 'filename', content, ...more };
}

export function textPart(name: string, content: string): Part {
  return { name, content };
}

function partHead(part: Part): string {
  const name = part.name === undefined ? '' : `; name="${part.name}"`;
  const fileName = part.fileName === undefined ? '' : `; filename="${part.fileName}"`;
  const headers: Headers = {
    'Content-Disposition': `${part.disposition ?? 'form-data'}${name}${fileName}`,
    'Content-Type': part.type,
  };
  return headerLines(headers)
    .map((line) => `${line.join(': ')}\r\n`)
    .join('');
}
