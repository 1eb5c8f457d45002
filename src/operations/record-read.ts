// Where that is wanted, the journal tells who read which file: durably, before the first byte leaves. One row for each
// file that is opened, however many ranges of it are sent. Whatever hands out contents passes through here.

import type { NoteRead } from '../catalog/journal.ts';
import type { Cabinet } from './cabinet.ts';

interface Range {
  start: number;
  end: number;
}

interface Readable {
  read(range: Range): AsyncIterable<Buffer>;
}

/** The same file, whose bytes come only when the row is there. */
export function recordRead<File extends Readable>(cabinet: Cabinet, file: File, read: NoteRead): File {
  if (!cabinet.isReadAudited) return file;
  let recorded: Promise<void> | null = null;
  return {
    ...file,
    async *read(range: Range) {
      recorded ??= cabinet.catalog.noteRead(read);
      await recorded;
      yield* file.read(range);
    },
  };
}
