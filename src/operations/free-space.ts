// Bytes are added only while the disk has more than the reserve. The reserve is for reads, sign-ins and deletions.

import { storageFull } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';

export function checkFree({ limits, freeBytes }: Cabinet, declaredBytes: number | null): void {
  if (freeBytes() - (declaredBytes ?? 0) < limits.reserveBytes) throw storageFull();
}
