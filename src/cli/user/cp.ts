// `cabinet cp`: copies within the service; no bytes travel.

import { copyEntry } from '@cabinet/client';
import type { Command } from 'commander';
import { registerRearrange } from './rearrange.ts';

export function registerCp(program: Command): void {
  registerRearrange(program, 'cp', ({ cabinet, signal }, { entry }, { parent, name, conflict }) =>
    copyEntry(cabinet, { id: entry.Id, parent, name, conflict }, { signal }),
  );
}
