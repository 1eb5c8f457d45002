// A thread that takes the text out of one document after another. It is expected to hang, to run out of memory or to die
// over some of them: `extractor.ts` watches it from outside and ends it then.

import { parentPort } from 'node:worker_threads';
import type { DocumentKind, Readable } from './document-kind.ts';
import { extractHtml } from './html.ts';
import { extractOffice } from './office.ts';
import { extractPdf } from './pdf.ts';
import { extractJson, extractText } from './text.ts';
import { Unreadable } from './unreadable.ts';

export interface ToExtractor extends Readable {
  bytes: Uint8Array<ArrayBuffer>;
}

export type FromExtractor = { text: string } | { reason: string };

type Extract = (bytes: Buffer, charset: string | null) => string | Promise<string>;

const extracts: Record<DocumentKind, Extract> = {
  text: extractText,
  json: extractJson,
  html: extractHtml,
  pdf: extractPdf,
  docx: (bytes) => extractOffice(bytes, 'docx'),
  xlsx: (bytes) => extractOffice(bytes, 'xlsx'),
  pptx: (bytes) => extractOffice(bytes, 'pptx'),
};

async function extract({ kind, charset, bytes }: ToExtractor): Promise<FromExtractor> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return { text: await extracts[kind](buffer, charset) };
  } catch (error) {
    if (error instanceof Unreadable) return { reason: error.message };
    return { reason: `it cannot be read: ${String(error).slice(0, 200)}` };
  }
}

parentPort?.on('message', async (asked: ToExtractor) => {
  parentPort?.postMessage((await extract(asked)) satisfies FromExtractor);
});
