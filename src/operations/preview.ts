// The preview of a version of an office document: a PDF, if the operator has configured a converter.

import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { toOfficeType } from '../previews/office-type.ts';
import { maxDocumentBytes } from '../previews/previews.ts';
import type { Cabinet } from './cabinet.ts';
import { requireContent } from './open-file.ts';
import { byCaller } from './origin.ts';

export interface Preview {
  /** Of the content. */
  sha256: Uint8Array;
  modifiedAt: number;
  /** PDF. */
  read(): Promise<Uint8Array>;
}

interface PreviewOf {
  fileId: string;
  /** Null for the current one. */
  version: number | null;
}

/** Nothing is made before it is read. */
export async function openPreview(cabinet: Cabinet, caller: Caller, request: PreviewOf): Promise<Preview> {
  const { fileId } = request;
  const { space, content } = await requireContent(cabinet, caller, request);
  const { previews } = cabinet;
  const { sha256, version, sizeBytes, modifiedAt } = content;
  const type = toOfficeType(content);
  if (previews === null || type === null || sizeBytes === 0 || sizeBytes > maxDocumentBytes) throw noPreview();
  return {
    sha256,
    modifiedAt,
    async read() {
      if (cabinet.isReadAudited)
        await cabinet.catalog.noteRead({ space, entry: fileId, version, ...byCaller(cabinet, caller) });
      const pdf = await previews.find({ space, fileId, version, type, by: caller.actor });
      if (pdf === 'busy') throw tooMany();
      if (pdf === null) throw noPreview();
      return pdf;
    },
  };
}

function noPreview(): Refusal {
  return new Refusal('NoPreview', 'This file has no preview.', {
    hint: 'Office documents of up to 64 MiB have one, where the operator has configured a converter.',
  });
}

function tooMany(): Refusal {
  return new Refusal('TooManyRequests', 'Too many previews are being created. Try again.', { retryAfterSeconds: 5 });
}
