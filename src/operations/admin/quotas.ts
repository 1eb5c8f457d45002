// Sets and lists quotas, for operators.

import type { Origin } from '../../catalog/sql.ts';
import type { SetQuota, SpaceUsage } from '../../catalog/verbs/quotas.ts';
import type { Cabinet } from '../cabinet.ts';

export async function setQuota(cabinet: Cabinet, quota: Omit<SetQuota, keyof Origin>, origin: Origin) {
  const changed = await cabinet.catalog.setQuota({ ...quota, ...origin });
  await cabinet.quotas.load();
  await cabinet.quotas.notifyOthers();
  return changed;
}

export function listQuotas(cabinet: Cabinet): Promise<SpaceUsage[]> {
  return cabinet.catalog.listQuotas({ isWhole: true });
}
