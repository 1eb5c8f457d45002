// Making, listing, changing and revoking shares. `open-share.ts` is for those who use them.

import { hash, randomBytes, randomUUIDv7 } from 'node:crypto';
import type { ShareMaker, StoredShare } from '../catalog/verbs/shares.ts';
import { type Caller, checkSelected, guestSpaces } from '../domain/caller.ts';
import { entryNotFound } from '../domain/missing.ts';
import { authorize, mayDo } from '../domain/permission.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Share, ShareAccess } from '../domain/share.ts';
import type { ShareRules } from '../domain/share-rules.ts';
import { requireAccess, requireSpace } from './access.ts';
import type { Cabinet } from './cabinet.ts';
import { decryptSecret, encryptSecret } from './encrypted-secrets.ts';
import { byCaller } from './origin.ts';
import { type ListRequest, type Page, toPage } from './page.ts';
import { hashPassword } from './passwords.ts';
import { requireShareRules } from './share-rules.ts';

export const maxSharePassword = 256;
export const maxShareName = 255;
export const maxShareNote = 2000;
const dayMs = 24 * 60 * 60 * 1000;
const defaultLifetimeMs = 30 * dayMs;

export interface ShownShare {
  share: Share;
  /** In the path of the link; null: another one made it. */
  secret: string | null;
}

/** Refuses a share that cannot be made, before the body is read. */
export async function admitShare(cabinet: Cabinet, caller: Caller, id: string): Promise<void> {
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id, missing: entryNotFound });
  if ((await cabinet.catalog.findEntry({ space, id })) === null) throw entryNotFound();
  await requireShareRules(cabinet, caller, space);
}

export interface ShareOptions {
  name: string | null;
  note: string | null;
  password: string | null;
  /** Null: the default. */
  expiresAt: number | null;
  maxDownloads: number | null;
}

interface NewShare extends ShareOptions {
  entryId: string;
  access: ShareAccess;
}

export async function addShare(cabinet: Cabinet, caller: Caller, request: NewShare): Promise<ShownShare> {
  const { entryId, access, maxDownloads } = request;
  const { space } = await requireAccess(cabinet, caller, { action: 'write', id: entryId, missing: entryNotFound });
  const rules = await requireShareRules(cabinet, caller, space);
  checkTexts(request);
  // In the order of time, so that ids sort by it.
  const id = randomUUIDv7();
  const secret = randomBytes(32).toString('base64url');
  const expiresAt = toExpiry(cabinet, rules, request.expiresAt);
  const stored = await cabinet.catalog.addShare({
    ...{ id, space, entry: entryId, access, name: request.name, note: request.note, expiresAt, maxDownloads },
    secretHash: toSecretHash(secret),
    secret: encryptSecret(cabinet.shareKey, id, secret),
    password: await toStoredPassword(rules, caller, request.password),
    ...{ user: caller.person, appKey: caller.appKey },
    ...byCaller(cabinet, caller),
  });
  return toShown(cabinet, caller, stored);
}

export function toSecretHash(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

function checkTexts({ name, note }: { name?: string | null | undefined; note?: string | null | undefined }): void {
  if (name !== undefined && name !== null) checkText(name, { target: 'Name', max: maxShareName, isLine: true });
  if (note !== undefined && note !== null) checkText(note, { target: 'Note', max: maxShareNote, isLine: false });
}

function checkText(text: string, { target, max, isLine }: { target: string; max: number; isLine: boolean }): void {
  const shown = isLine ? text : text.replaceAll(/[\r\n\t]/g, '');
  const isGood = text.isWellFormed() && !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(shown);
  if (isGood && [...text].length <= max && !(isLine && text.trim() === '')) return;
  throw new Refusal('InvalidField', `${target} must be text of at most ${max} characters.`, { target });
}

function toExpiry({ clock }: Cabinet, { maxDays }: ShareRules, expiresAt: number | null): number {
  const now = clock.now();
  const maxMs = maxDays * dayMs;
  if (expiresAt === null) return now + Math.min(defaultLifetimeMs, maxMs);
  if (expiresAt > now && expiresAt <= now + maxMs) return expiresAt;
  const problem = expiresAt <= now ? 'must be in the future' : `can be ${maxDays} days from now at most`;
  throw new Refusal('InvalidField', `ExpiresAt ${problem}.`, { target: 'ExpiresAt' });
}

async function toStoredPassword(
  { isPasswordRequired }: ShareRules,
  { actor }: Caller,
  password: string | null,
): Promise<string | null> {
  if (password === null) {
    if (isPasswordRequired) throw passwordRequired();
    return null;
  }
  const length = [...password].length;
  if (length === 0 || length > maxSharePassword || !password.isWellFormed()) {
    throw new Refusal('InvalidField', `A password has 1 to ${maxSharePassword} characters.`, { target: 'Password' });
  }
  return await hashPassword(password, actor);
}

function passwordRequired(): Refusal {
  return new Refusal('InvalidField', 'Every link needs a password here.', { target: 'Password' });
}

function toShown({ shareKey }: Cabinet, caller: Caller, stored: StoredShare): ShownShare {
  const { secret, password: _, ...share } = stored;
  return { share, secret: isMaker(caller, share) ? decryptSecret(shareKey, share.id, secret) : null };
}

function isMaker({ person, appKey }: Caller, share: Pick<Share, 'user' | 'appKey'>): boolean {
  return share.user === null ? person === null && appKey === share.appKey : person === share.user;
}

interface ListOfEntry extends ListRequest {
  entryId: string;
}

/** The newest first. */
export async function listEntryShares(
  cabinet: Cabinet,
  caller: Caller,
  { entryId, ...page }: ListOfEntry,
): Promise<Page<ShownShare>> {
  const read = { action: 'read' as const, id: entryId, missing: entryNotFound };
  const { space } = await requireAccess(cabinet, caller, read);
  if ((await cabinet.catalog.findEntry({ space, id: entryId })) === null) throw entryNotFound();
  return await list(cabinet, caller, { spaces: [space], entry: entryId, maker: null }, page);
}

async function maySee(cabinet: Cabinet, caller: Caller, id: string): Promise<boolean> {
  try {
    const { space } = await requireAccess(cabinet, caller, { action: 'read', id, missing: entryNotFound });
    return (await cabinet.catalog.findEntry({ space, id })) !== null;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function toMaker({ person, appKey }: Caller): ShareMaker {
  return { user: person, appKey };
}

/** The newest first: those that the caller made, or with `isAll` those of the space, for whoever manages it. */
export async function listShares(
  cabinet: Cabinet,
  caller: Caller,
  { isAll, ...page }: ListRequest & { isAll: boolean },
): Promise<Page<ShownShare>> {
  if (isAll) {
    const { space } = requireSpace(caller, 'manage');
    return await list(cabinet, caller, { spaces: [space], entry: null, maker: null }, page);
  }
  authorize(caller, 'read');
  checkSelected(caller);
  return await list(cabinet, caller, { spaces: toSpaces(caller), entry: null, maker: toMaker(caller) }, page);
}

/** Null: of all spaces. */
function toSpaces(caller: Caller): number[] | null {
  const { isOfOneSpace, spaceId, spaces } = caller;
  if (!isOfOneSpace && spaceId === null) return null;
  const known = [...spaces, ...guestSpaces(caller)].filter((one) => spaceId === null || one.spaceId === spaceId);
  return known.map(({ space }) => space);
}

async function list(
  cabinet: Cabinet,
  caller: Caller,
  which: { spaces: number[] | null; entry: string | null; maker: ShareMaker | null },
  { after, limit }: ListRequest,
): Promise<Page<ShownShare>> {
  const at = cabinet.clock.now();
  const stored = await cabinet.catalog.listShares({ ...which, after, limit: limit + 1, at });
  const shown = stored.map((one) => toShown(cabinet, caller, one));
  return toPage(shown, limit, ({ share }) => share.id);
}

export async function showShare(cabinet: Cabinet, caller: Caller, id: string): Promise<ShownShare> {
  return toShown(cabinet, caller, await requireShare(cabinet, caller, { id, action: 'read' }));
}

/** Refuses a change that cannot be made, before the body is read. */
export async function admitShareChange(cabinet: Cabinet, caller: Caller, id: string): Promise<void> {
  const { space } = await requireShare(cabinet, caller, { id, action: 'write' });
  await requireShareRules(cabinet, caller, space);
}

interface ShareChange extends Partial<Omit<ShareOptions, 'expiresAt'>> {
  id: string;
  access?: ShareAccess;
  /** Null: the default, from now. */
  expiresAt?: number | null;
}

export async function changeShare(cabinet: Cabinet, caller: Caller, change: ShareChange): Promise<ShownShare> {
  const { id, access, name, note, password, expiresAt, maxDownloads } = change;
  const { space, hasPassword } = await requireShare(cabinet, caller, { id, action: 'write' });
  const rules = await requireShareRules(cabinet, caller, space);
  checkTexts({ name, note });
  const isProlonged = expiresAt !== undefined || maxDownloads !== undefined;
  if (isProlonged && !hasPassword && password === undefined && rules.isPasswordRequired) throw passwordRequired();
  const stored = await cabinet.catalog.changeShare({
    ...{ id, space, access, name, note, maxDownloads },
    password: password === undefined ? undefined : await toStoredPassword(rules, caller, password),
    expiresAt: expiresAt === undefined ? undefined : toExpiry(cabinet, rules, expiresAt),
    ...byCaller(cabinet, caller),
  });
  if (stored === null) throw shareNotFound();
  return toShown(cabinet, caller, stored);
}

export async function revokeShare(cabinet: Cabinet, caller: Caller, id: string): Promise<ShownShare> {
  const { space } = await requireShare(cabinet, caller, { id, action: 'write' });
  const stored = await cabinet.catalog.revokeShare({ id, space, ...byCaller(cabinet, caller) });
  if (stored === null) throw shareNotFound();
  return toShown(cabinet, caller, stored);
}

/** Its maker and managers may do everything, others who see the entry only see it. */
async function requireShare(
  cabinet: Cabinet,
  caller: Caller,
  { id, action }: { id: string; action: 'read' | 'write' },
): Promise<StoredShare> {
  authorize(caller, action);
  const share = await cabinet.catalog.findShare({ id, at: cabinet.clock.now() });
  if (share === null) throw shareNotFound();
  const spaces = toSpaces({ ...caller, spaceId: null });
  if (isMaker(caller, share) && (spaces?.includes(share.space) ?? true)) return share;
  const access = caller.spaces.find(({ space }) => space === share.space);
  if (access !== undefined && mayDo(caller, 'manage', access)) return share;
  const isInReach = [...caller.spaces, ...guestSpaces(caller)].some(({ space }) => space === share.space);
  if (!isInReach || !(await maySee(cabinet, { ...caller, spaceId: null }, share.entryId))) throw shareNotFound();
  if (action === 'read') return share;
  throw new Refusal('Forbidden', 'Only the creator of the link and managers of the space can change or revoke it.');
}

export function shareNotFound(): Refusal {
  return new Refusal('ShareNotFound', 'This link does not exist, or can no longer be used.');
}
