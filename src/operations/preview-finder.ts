// How the PDF of an office document is asked for: the main thread has the converter, and others ask it.

import type { OfficeType } from '../previews/office-type.ts';

export interface PreviewRequest {
  space: number;
  fileId: string;
  version: number;
  type: OfficeType;
  /** Who takes turns. */
  by: string;
}

/** `busy`: too much is waiting. Null: the document cannot be converted. */
export type FoundPreview = Uint8Array | null | 'busy';

export interface PreviewFinder {
  find(request: PreviewRequest): Promise<FoundPreview>;
  deleteOld(now: number): Promise<void>;
  close(): Promise<void>;
}
