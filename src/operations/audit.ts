// Lists the audit trail of a space for its managers.

import type { AuditFilter, AuditPage } from '../catalog/verbs/journal.ts';
import type { Caller } from '../domain/caller.ts';
import { requireSpace } from './access.ts';
import type { Cabinet } from './cabinet.ts';

interface AuditRequest extends AuditFilter {
  /** The page begins before this position; null for the first page. */
  before: number | null;
  limit: number;
}

export async function listAudit({ catalog }: Cabinet, caller: Caller, request: AuditRequest): Promise<AuditPage> {
  const { space } = requireSpace(caller, 'manage');
  return await catalog.listAudit({ space, ...request });
}
