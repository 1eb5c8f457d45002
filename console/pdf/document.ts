// PDF documents, read and drawn by PDF.js: their scripts, forms and actions are not run, and nothing elsewhere is fetched. Loaded with
// the first PDF only.

import { getDocument, type PDFDocumentProxy, type PDFPageProxy, VerbosityLevel } from 'unpdf/pdfjs';

export type { PDFDocumentProxy, PDFPageProxy } from 'unpdf/pdfjs';

/** Takes the bytes: they cannot be used afterwards. */
export function openDocument(data: Uint8Array): Promise<PDFDocumentProxy> {
  return getDocument({ data, isEvalSupported: false, enableXfa: false, verbosity: VerbosityLevel.ERRORS }).promise;
}

/** Sharp on screens with more pixels, and not too large for phones. */
const maxDensity = 2;

export interface DrawnPage {
  canvas: HTMLCanvasElement;
  /** Resolves when it is drawn; rejects when it was cancelled. */
  whole: Promise<void>;
  cancel(): void;
}

/** `width`: in pixels of the style sheet. */
export function drawPage(page: PDFPageProxy, width: number): DrawnPage {
  const density = Math.min(maxDensity, window.devicePixelRatio);
  const viewport = page.getViewport({ scale: toScale(page, width) * density });
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(viewport.width);
  canvas.height = Math.ceil(viewport.height);
  const task = page.render({ canvas, viewport });
  return { canvas, whole: task.promise, cancel: () => task.cancel() };
}

export function toScale(page: PDFPageProxy, width: number): number {
  return width / page.getViewport({ scale: 1 }).width;
}
