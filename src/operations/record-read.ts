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

interface Chunks extends AsyncIterableIterator<Buffer> {
  release?(): void;
}

interface Readable {
  readSmall(): Buffer | null;
  read(range: Range): Chunks;
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
    read(range: Range): Chunks {
      const chunks = file.read(range);
      // Not a generator: that would end, and `return` its memory, while the last chunk is on its way.
      return {
        [Symbol.asyncIterator]() {
          return this;
        },
        async next() {
          recorded ??= cabinet.catalog.noteRead(row);
          await recorded;
          return await chunks.next();
        },
        return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
        release: () => chunks.release?.(),
      };
    },
  };
}
