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

/** `isCut`: the document has more text than is extracted. */
export type FromExtractor = { text: string; isCut: boolean } | { reason: string };

type Extract = (bytes: Buffer, charset: string | null, onCut: () => void) => string | Promise<string>;

const extracts: Record<DocumentKind, Extract> = {
  text: extractText,
  json: (bytes, _charset, onCut) => extractJson(bytes, onCut),
  html: extractHtml,
  pdf: (bytes, _charset, onCut) => extractPdf(bytes, onCut),
  docx: (bytes, _charset, onCut) => extractOffice(bytes, 'docx', onCut),
  xlsx: (bytes, _charset, onCut) => extractOffice(bytes, 'xlsx', onCut),
  pptx: (bytes, _charset, onCut) => extractOffice(bytes, 'pptx', onCut),
};

async function extract({ kind, charset, bytes }: ToExtractor): Promise<FromExtractor> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let isCut = false;
  const onCut = () => {
    isCut = true;
  };
  try {
    const text = await extracts[kind](buffer, charset, onCut);
    return { text, isCut };
  } catch (error) {
    if (error instanceof Unreadable) return { reason: error.message };
    return { reason: `it cannot be read: ${String(error).slice(0, 200)}` };
  }
}

parentPort?.on('message', async (request: ToExtractor) => {
  parentPort?.postMessage((await extract(request)) satisfies FromExtractor);
});
