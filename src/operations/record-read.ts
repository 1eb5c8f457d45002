// Audits reads, where configured: the journal durably records who read which file before the first byte is sent. One row per opened
// file, however many ranges are read. Everything that serves contents goes through here.

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
  readSmall(): Buffer | null;
  read(range: Range): AsyncIterable<Buffer>;
}

interface Read extends Omit<NoteRead, keyof Origin> {
  caller: Caller;
}

/** The same file; its bytes are readable only once the row is written. */
export function recordRead<File extends Readable>(cabinet: Cabinet, file: File, { caller, ...read }: Read): File {
  if (!cabinet.isReadAudited) return file;
  const row = { ...read, ...byCaller(cabinet, caller) };
  let recorded: Promise<void> | null = null;
  return {
    ...file,
    readSmall: () => null,
    async *read(range: Range) {
      recorded ??= cabinet.catalog.noteRead(row);
      await recorded;
      yield* file.read(range);
    },
  };
}
