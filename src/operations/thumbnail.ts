// The thumbnail of the current version of a file.

import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { ThumbnailSize } from '../domain/thumbnail-size.ts';
import { QueueFull } from '../runtime/fair-queue.ts';
import { maxSourceBytes, toSourceKind } from '../thumbnails/thumbnails.ts';
import type { Cabinet } from './cabinet.ts';
import { readWhole } from './find-previews.ts';
import { requireContent } from './open-file.ts';
import { byCaller } from './origin.ts';

export interface Thumbnail {
  /** Of the content. */
  sha256: Uint8Array;
  modifiedAt: number;
  /** WebP. */
  read(): Promise<Buffer>;
}

interface ThumbnailRequest {
  fileId: string;
  size: ThumbnailSize;
}

/** Nothing is made before it is read. */
export async function openThumbnail(cabinet: Cabinet, caller: Caller, request: ThumbnailRequest): Promise<Thumbnail> {
  const { fileId: entry, size } = request;
  const { space, content } = await requireContent(cabinet, caller, { fileId: entry, version: null });
  const kind = toSourceKind(content.contentType);
  if (kind === null || content.sizeBytes === 0 || content.sizeBytes > maxSourceBytes) throw noThumbnail();
  const { sha256, version } = content;
  const read = () => readWhole(cabinet, content);
  return {
    sha256,
    modifiedAt: content.modifiedAt,
    async read() {
      if (cabinet.isReadAudited)
        await cabinet.catalog.noteRead({ space, entry, version, ...byCaller(cabinet, caller) });
      const made = await findIn(cabinet, { space, sha256, kind, read }, { size, by: caller.actor });
      if (made === null) throw noThumbnail();
      return made;
    },
  };
}

async function findIn(
  { thumbnails }: Cabinet,
  source: Parameters<Cabinet['thumbnails']['find']>[0],
  { size, by }: { size: ThumbnailSize; by: string },
): Promise<Buffer | null> {
  try {
    return await thumbnails.find(source, size, by);
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    throw new Refusal('TooManyRequests', 'Too many thumbnails are being created. Try again.', { retryAfterSeconds: 1 });
  }
}

function noThumbnail(): Refusal {
  return new Refusal('NoThumbnail', 'This file has no thumbnail.', {
    hint: 'Pictures and PDF documents have one, up to 64 MiB, where the optional package sharp is installed.',
  });
}
