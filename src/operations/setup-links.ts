// Setup links: made for new accounts and for people who lost their password, used once by their owner. The secret has 256 random
// bits and is in the link alone; its hash is stored.

import { hash, randomBytes } from 'node:crypto';
import type { Origin } from '../catalog/sql.ts';
import type { User } from '../catalog/verbs/people.ts';
import type { NewSetupLink } from '../catalog/verbs/setup-links.ts';
import type { Cabinet } from './cabinet.ts';
import { checkPassword, hashPassword } from './passwords.ts';

const lifetimeMs = 72 * 60 * 60 * 1000;

export interface SetupSecret {
  /** In the path of the link. Shown once. */
  secret: string;
  expiresAt: number;
}

/** Made at the moment of its origin. */
export function newSetup({ at }: Origin): { setup: NewSetupLink; shown: SetupSecret } {
  const secret = randomBytes(32).toString('base64url');
  const expiresAt = at + lifetimeMs;
  return { setup: { hash: toHash(secret), expiresAt }, shown: { secret, expiresAt } };
}

/** The address of the page behind a link. */
export function toSetupUrl(publicUrl: string, { secret }: SetupSecret): string {
  return `${publicUrl}/setup/${secret}`;
}

function toHash(secret: string): string {
  return hash('sha256', secret, 'base64url');
}

/** Whose link it is. Null: it was used, has ended or expired, or never existed. */
export function findSetup({ catalog, clock }: Cabinet, secret: string): Promise<User | null> {
  return catalog.findSetup({ hash: toHash(secret), at: clock.now() });
}

interface SetupUse {
  user: User;
  secret: string;
  password: string;
  requestId: string;
}

/** Sets the password. A refused one does not use the link up. Returns whether the link was still valid. */
export async function useSetup(
  { catalog, clock }: Cabinet,
  { user, secret, password, requestId }: SetupUse,
): Promise<boolean> {
  const hashed = await hashPassword(checkPassword(password, user.id), user.id);
  return await catalog.useSetup({ hash: toHash(secret), password: hashed, at: clock.now(), request: requestId });
}
