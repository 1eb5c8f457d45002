// `cabinet cp`: copies within the service; no bytes travel.

import type { Command } from 'commander';
import { copyEntry } from '../../../sdk/src/entries.ts';
import { registerRearrange } from './rearrange.ts';

export function registerCp(program: Command): void {
  registerRearrange(program, 'cp', ({ cabinet, signal }, { entry }, { parent, name, conflict }) =>
    copyEntry(cabinet, { id: entry.Id, parent, name, conflict }, { signal }),
  );
}
