// What the caller has allowed applications to do for them, and taking it back.

import type { Consent } from '../catalog/verbs/consents.ts';
import type { Caller } from '../domain/caller.ts';
import { authorize } from '../domain/permission.ts';
import type { Cabinet } from './cabinet.ts';
import { admitSelf, requirePerson } from './me.ts';
import { byCaller } from './origin.ts';
import { type ListRequest, type Page, toPage } from './page.ts';

interface ConsentGiven {
  user: string;
  appKey: string;
  scopes: readonly string[];
  requestId: string;
}

/** The person agreed on the consent page. */
export async function giveConsent({ catalog, clock }: Cabinet, { requestId, ...consent }: ConsentGiven): Promise<void> {
  await catalog.giveConsent({ ...consent, at: clock.now(), by: consent.user, request: requestId });
}

/** By AppKey. */
export async function listConsents(
  { catalog }: Cabinet,
  caller: Caller,
  { after, limit }: ListRequest,
): Promise<Page<Consent>> {
  authorize(caller, 'read');
  const listed = await catalog.listConsents({ user: requirePerson(caller) });
  return toPage(
    listed.filter(({ appKey }) => after === null || appKey > after),
    limit,
    ({ appKey }) => appKey,
  );
}

/** The application's sign-ins for the person end with it. */
export async function endConsent(cabinet: Cabinet, caller: Caller, appKey: string): Promise<void> {
  await cabinet.catalog.endConsent({ user: admitSelf(caller), appKey, ...byCaller(cabinet, caller) });
}
