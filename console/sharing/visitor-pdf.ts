// PDFs on the page of a link, drawn page by page: browsers' own viewers run the scripts of a PDF, and phones have none. A script of its
// own, which the page loads beside `view.js` of `src/rest/shared-page`.

import { drawPage, openDocument, type PDFDocumentProxy } from '../pdf/document.ts';

/** Each takes some megabytes of memory. */
const maxPages = 30;
/** Of the text of a page that screen readers get. */
const maxLabel = 2_000;

async function show(look: HTMLElement): Promise<void> {
  const answer = await fetch(look.dataset.source ?? '');
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const document = await openDocument(new Uint8Array(await answer.arrayBuffer()));
  const count = Math.min(document.numPages, maxPages);
  for (let number = 1; number <= count; number += 1) {
    const canvas = await draw(document, number, look.clientWidth);
    if (number === 1) look.replaceChildren();
    look.append(canvas);
  }
  if (document.numPages > count) look.append(toNote(look.dataset.cut ?? ''));
}

async function draw(source: PDFDocumentProxy, number: number, width: number): Promise<HTMLCanvasElement> {
  const page = await source.getPage(number);
  const { items } = await page.getTextContent();
  const { canvas, whole } = drawPage(page, width);
  canvas.setAttribute('role', 'img');
  const text = items.map((item) => ('str' in item ? item.str : '')).join(' ');
  canvas.setAttribute('aria-label', `${number} / ${source.numPages}: ${text.slice(0, maxLabel)}`);
  await whole;
  page.cleanup();
  return canvas;
}

function toNote(text: string): HTMLElement {
  const note = document.createElement('p');
  note.className = 'soft';
  note.textContent = text;
  return note;
}

const look = document.querySelector<HTMLElement>('[data-look=pdf]');
// What has been drawn stays.
if (look !== null) {
  show(look).catch(() => {
    if (look.querySelector('canvas') === null) look.replaceChildren(toNote(look.dataset.none ?? ''));
  });
}
