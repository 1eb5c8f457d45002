// The usage and quotas of a space, and the limits of the service.

import type { Quota, UsageOf } from '../catalog/verbs/quotas.ts';
import type { Caller, SpaceAccess } from '../domain/caller.ts';
import { requireSpace } from './access.ts';
import type { Cabinet, Limits } from './cabinet.ts';
import { type ListRequest, toPage } from './page.ts';

export interface SpaceUsage {
  access: SpaceAccess;
  inAll: UsageOf;
  /** The bytes of the current versions of all files in the trash. */
  trashBytes: number;
  by: UsageOf[];
  next: string | null;
}

export async function showUsage(
  { catalog }: Cabinet,
  caller: Caller,
  { after, limit }: ListRequest,
): Promise<SpaceUsage> {
  const access = requireSpace(caller, 'read');
  const { space } = access;
  const inAll = await catalog.findUsage({ space, actor: '' });
  const trashBytes = await catalog.findTrashBytes({ space });
  const { items, next } = toPage(
    await catalog.listUsage({ space, after, limit: limit + 1 }),
    limit,
    ({ actor }) => actor,
  );
  return { access, inAll, trashBytes, by: items, next };
}

export interface LimitsView {
  limits: Limits;
  spaceQuota: Quota;
  callerQuota: Quota;
}

export async function showLimits({ catalog, limits }: Cabinet, caller: Caller): Promise<LimitsView> {
  const { space } = requireSpace(caller, 'read');
  const inAll = await catalog.findUsage({ space, actor: '' });
  const own = await catalog.findUsage({ space, actor: caller.actor });
  return { limits, spaceQuota: inAll.quota, callerQuota: own.quota };
}
