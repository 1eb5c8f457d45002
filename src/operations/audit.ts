// Who did what in a space, for those who manage it.

import type { AuditFilter, AuditPage } from '../catalog/verbs/journal.ts';
import type { Caller } from '../domain/caller.ts';
import { requireSpace } from './access.ts';
import type { Cabinet } from './cabinet.ts';

export interface AuditRequest extends AuditFilter {
  /** The position before which the page begins; null: the first page. */
  before: number | null;
  limit: number;
}

export async function listAudit({ catalog }: Cabinet, caller: Caller, request: AuditRequest): Promise<AuditPage> {
  const { space } = requireSpace(caller, 'manage');
  return await catalog.listAudit({ space, ...request });
}
