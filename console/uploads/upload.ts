// One upload of the queue.

import type { Cabinet, Entry } from '@cabinet/client';

export type UploadState =
  | 'waiting'
  | 'running'
  | 'stalled'
  | 'paused'
  | 'asking'
  | 'done'
  | 'skipped'
  | 'failed'
  | 'cancelled';

export type Conflict = 'Fail' | 'Version' | 'Rename';

export interface Upload {
  readonly id: number;
  readonly file: File;
  readonly name: string;
  readonly cabinet: Cabinet;
  /** The target folder; resolves when it has been created. */
  readonly folder: () => Promise<string>;
  state: UploadState;
  sentBytes: number;
  error: unknown;
  conflict: Conflict;
  saved: Entry | null;
  /** The id of the resumable upload, if there is one. */
  session: string | null;
  abort: AbortController | null;
}
