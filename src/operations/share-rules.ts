// The rules about links that hold in a space: those of the service, or stricter ones that its managers have set.

import type { Caller } from '../domain/caller.ts';
import { mayDo } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import { findLaxer, type ShareRules, type SpaceShareRules, toStricter } from '../domain/share-rules.ts';
import type { Cabinet } from './cabinet.ts';
import { admitSpace, showSpace } from './manage-spaces.ts';
import { byCaller } from './origin.ts';

export async function findShareRules({ catalog, sharePolicy }: Cabinet, space: number): Promise<ShareRules> {
  return toStricter(sharePolicy, await catalog.findShareRules({ space }));
}

/** The rules, if the caller may make and change links in the space. Revoking them is always allowed. */
export async function requireShareRules(cabinet: Cabinet, caller: Caller, space: number): Promise<ShareRules> {
  const rules = await findShareRules(cabinet, space);
  if (!rules.isOn) throw new Refusal('Forbidden', 'Links are disabled here.');
  if (rules.makers === 'editors' || mayManage(caller, space)) return rules;
  throw new Refusal('Forbidden', 'Only managers of this space can create links.', { target: 'manager' });
}

function mayManage(caller: Caller, space: number): boolean {
  const access = caller.spaces.find((one) => one.space === space);
  return access !== undefined && mayDo(caller, 'manage', access);
}

/** Null: the space has no rules of its own. */
export async function showShareRules(cabinet: Cabinet, caller: Caller, spaceId: string): Promise<ShareRules | null> {
  const { space } = showSpace(caller, spaceId);
  return toShown(cabinet, await cabinet.catalog.findShareRules({ space }));
}

function toShown({ sharePolicy }: Cabinet, own: SpaceShareRules): ShareRules | null {
  return Object.values(own).every((rule) => rule === null) ? null : toStricter(sharePolicy, own);
}

/** The names in the interface. */
const targets: Record<keyof ShareRules, string> = {
  isOn: 'Allowed',
  makers: 'Makers',
  isPasswordRequired: 'PasswordRequired',
  maxDays: 'MaxDays',
};

/** Refuses rules that are laxer than those of the service. */
export function checkShareRules({ sharePolicy }: Cabinet, rules: Partial<SpaceShareRules>): void {
  const laxer = findLaxer(sharePolicy, rules);
  if (laxer === null) return;
  const target = `Shares.${targets[laxer]}`;
  throw new Refusal('InvalidField', `${target} must not allow more than the settings of the service.`, { target });
}

/** Null: the space has no rules of its own any more. */
export async function changeShareRules(
  cabinet: Cabinet,
  caller: Caller,
  { spaceId, rules }: { spaceId: string; rules: Partial<SpaceShareRules> },
): Promise<ShareRules | null> {
  const access = admitSpace(caller, spaceId);
  checkShareRules(cabinet, rules);
  const { space } = access;
  return toShown(cabinet, await cabinet.catalog.setShareRules({ space, rules, ...byCaller(cabinet, caller) }));
}
