// Extracts PDF page by page with PDF.js, which is large and loaded with the first PDF.

import type { PDFDocumentProxy } from 'unpdf/pdfjs';
import { TextGatherer } from './text-gatherer.ts';
import { Unreadable } from './unreadable.ts';

export async function extractPdf(bytes: Buffer, onCut?: () => void): Promise<string> {
  const { getDocument, VerbosityLevel } = await import('unpdf/pdfjs');
  // PDF.js takes ownership of the memory.
  const data = new Uint8Array(bytes);
  const loading = getDocument({
    data,
    verbosity: VerbosityLevel.ERRORS,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
  });
  try {
    return await gatherPages(await loading.promise, onCut);
  } catch (error) {
    throw new Unreadable(explain(error as Error));
  } finally {
    await loading.destroy();
  }
}

async function gatherPages(document: PDFDocumentProxy, onCut?: () => void): Promise<string> {
  const gatherer = new TextGatherer();
  for (let number = 1; number <= document.numPages && !gatherer.isFull; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    for (const item of items) {
      // Other items are marks without text.
      if ('str' in item) gatherer.add(item.hasEOL ? `${item.str}\n` : item.str);
    }
    gatherer.add('\n');
    page.cleanup();
  }
  return gatherer.toText(onCut);
}

function explain({ name, message }: Error): string {
  if (name === 'PasswordException') return 'it is encrypted';
  if (name === 'InvalidPDFException') return 'it is damaged';
  return `PDF.js says: ${message.slice(0, 200)}`;
}
