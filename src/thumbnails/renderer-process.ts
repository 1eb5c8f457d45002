// The process that makes thumbnails: pictures by sharp, the first page of a PDF by pdfium. Both are optional packages; without them
// nothing can be made. The other side, `thumbnails.ts`, watches time and memory.

import type { PDFiumLibrary } from '@hyzyla/pdfium';
import type { Sharp } from 'sharp';
import type { ThumbnailSize } from '../domain/thumbnail-size.ts';

/** What the bytes are. */
export type SourceKind = 'picture' | 'pdf';

export interface ToRenderer {
  bytes: Uint8Array;
  kind: SourceKind;
  size: ThumbnailSize;
}

/** WebP; null: it cannot be shown. */
export interface FromRenderer {
  image: Uint8Array | null;
}

/** A picture of more is refused before it is unpacked. */
const maxPixels = 120_000_000;
const quality = 78;

let pdfium: Promise<PDFiumLibrary> | null = null;

process.on('message', async (request: ToRenderer) => {
  let image: Uint8Array | null = null;
  try {
    const { default: sharp } = await import('sharp');
    image = await (request.kind === 'pdf'
      ? renderPdf(sharp, request)
      : renderPicture(sharp(request.bytes, limits), request));
  } catch {
    // Damaged, too large, or not what its type says.
  }
  process.send?.({ image } satisfies FromRenderer);
});
// Stopping the service may signal all of its processes. This one ends when its parent is gone.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

const limits = { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true, pages: 1 } as const;

function renderPicture(picture: Sharp, { size }: ToRenderer): Promise<Uint8Array> {
  return picture
    .autoOrient()
    .resize(size, size, { fit: 'inside', withoutEnlargement: true })
    .webp({ quality })
    .toBuffer();
}

async function renderPdf(sharp: typeof import('sharp').default, request: ToRenderer): Promise<Uint8Array> {
  const { PDFiumLibrary } = await import('@hyzyla/pdfium');
  pdfium ??= PDFiumLibrary.init();
  const document = await (await pdfium).loadDocument(request.bytes);
  try {
    const page = document.getPage(0);
    const { originalWidth, originalHeight } = page.getOriginalSize();
    const scale = request.size / Math.max(originalWidth, originalHeight, 1);
    const { data } = await page.render({
      width: Math.max(1, Math.round(originalWidth * scale)),
      height: Math.max(1, Math.round(originalHeight * scale)),
      render: ({ data: raw, width, height }) =>
        renderPicture(sharp(raw, { raw: { width, height, channels: 4 } }).flatten({ background: 'white' }), request),
    });
    return data;
  } finally {
    document.destroy();
  }
}
