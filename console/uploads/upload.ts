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
  /** Where it goes: resolves when the folders above it are there. */
  readonly folder: () => Promise<string>;
  state: UploadState;
  sentBytes: number;
  error: unknown;
  conflict: Conflict;
  saved: Entry | null;
  /** The id under which the service keeps what has arrived so far, if it can be gone on with. */
  session: string | null;
  abort: AbortController | null;
}
