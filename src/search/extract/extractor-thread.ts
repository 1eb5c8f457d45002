// The thread that extracts the text of documents, one after the other. Some of them will make it hang, run out of memory or crash:
// `extractor-process.ts` watches it.

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

parentPort?.on('message', async (request: ToExtractor) => {
  parentPort?.postMessage((await extract(request)) satisfies FromExtractor);
});
