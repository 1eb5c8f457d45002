// Where that is wanted, the journal tells who read which file: durably, before the first byte leaves. One row for each
// file that is opened, however many ranges of it are sent. Whatever hands out contents passes through here.

import type { Origin } from '../catalog/sql.ts';
import type { NoteRead } from '../catalog/verbs/journal.ts';
import type { Caller } from '../domain/caller.ts';
import type { Cabinet } from './cabinet.ts';
import { byCaller } from './origin.ts';

interface Range {
  start: number;
  end: number;
}

interface Readable {
  read(range: Range): AsyncIterable<Buffer>;
}

export interface Read extends Omit<NoteRead, keyof Origin> {
  caller: Caller;
}

/** The same file, whose bytes come only when the row is there. */
export function recordRead<File extends Readable>(cabinet: Cabinet, file: File, { caller, ...read }: Read): File {
  if (!cabinet.isReadAudited) return file;
  const noted = { ...read, ...byCaller(cabinet, caller) };
  let recorded: Promise<void> | null = null;
  return {
    ...file,
    async *read(range: Range) {
      recorded ??= cabinet.catalog.noteRead(noted);
      await recorded;
      yield* file.read(range);
    },
  };
}
