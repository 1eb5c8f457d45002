// Renders what people see of their own account as JSON.

import type { AppPassword } from '../catalog/verbs/app-passwords.ts';
import type { Consent } from '../catalog/verbs/consents.ts';
import type { SecondFactor } from '../catalog/verbs/second-factors.ts';
import type { AppPasswordWithSecret } from '../operations/app-passwords.ts';
import type { Account, OwnSession } from '../operations/me.ts';
import type { AddedSecondFactor, NewTotp, OwnSecondFactors } from '../operations/second-factors.ts';
import type { PersonalPage } from '../operations/starred.ts';
import { renderEntry, renderTime } from './wire.ts';
import { toSpace } from './wire-managing.ts';

export function renderAccount({ id, name, kind, spaces, hasPassword, secondFactors }: Account): string {
  const shown = { Id: id, Name: name, Kind: kind, Spaces: spaces.map(toSpace) };
  return JSON.stringify({ ...shown, HasPassword: hasPassword, SecondFactors: secondFactors });
}

export function renderSessions(sessions: readonly OwnSession[]): string {
  const shown = sessions.map((session) => ({
    Id: session.id,
    Application: session.appKey,
    ApplicationName: session.applicationName,
    StartedAt: renderTime(session.startedAt),
    LastUsedAt: renderTime(session.usedAt),
    Address: session.address,
    UserAgent: session.userAgent,
    IsCurrent: session.isCurrent,
  }));
  return JSON.stringify({ Sessions: shown });
}

export function renderConsents(consents: readonly Consent[]): string {
  const shown = consents.map(({ appKey, applicationName, scopes, givenAt }) => ({
    Application: appKey,
    ApplicationName: applicationName,
    Scopes: scopes,
    GivenAt: renderTime(givenAt),
  }));
  return JSON.stringify({ Consents: shown });
}

function toAppPassword({ id, name, access, spaceId, createdAt, expiresAt, usedAt }: AppPassword): object {
  return {
    Id: id,
    Name: name,
    Access: access,
    SpaceId: spaceId,
    CreatedAt: renderTime(createdAt),
    ExpiresAt: expiresAt === null ? null : renderTime(expiresAt),
    LastUsedAt: usedAt === null ? null : renderTime(usedAt),
  };
}

export function renderAppPasswords(appPasswords: readonly AppPassword[]): string {
  return JSON.stringify({ AppPasswords: appPasswords.map(toAppPassword) });
}

/** The only answer that contains the password. */
export function renderNewAppPassword({ appPassword, password }: AppPasswordWithSecret): string {
  return JSON.stringify({ AppPassword: toAppPassword(appPassword), Password: password });
}

function toSecondFactor({ id, kind, name, createdAt, usedAt }: SecondFactor): object {
  const LastUsedAt = usedAt === null ? null : renderTime(usedAt);
  return { Id: id, Kind: kind, Name: name, CreatedAt: renderTime(createdAt), LastUsedAt };
}

export function renderSecondFactors({ factors, recoveryCodes, isRequired }: OwnSecondFactors): string {
  const shown = { SecondFactors: factors.map(toSecondFactor), RecoveryCodesLeft: recoveryCodes };
  return JSON.stringify({ ...shown, IsRequired: isRequired });
}

/** The only answer that contains the secret. */
export function renderTotpSetup({ secret, uri, setup }: NewTotp): string {
  return JSON.stringify({ Secret: secret, Uri: uri, Setup: setup });
}

export function renderAddedFactor({ factor, recoveryCodes }: AddedSecondFactor): string {
  return JSON.stringify({ SecondFactor: toSecondFactor(factor), RecoveryCodes: recoveryCodes });
}

export function renderPersonal(entries: PersonalPage['entries']): string {
  const shown = entries.map(
    ({ details: { entry, path }, at }) =>
      `{"Entry":${renderEntry(entry)},"Path":${JSON.stringify(path)},"At":"${renderTime(at)}"}`,
  );
  return `{"Entries":[${shown.join(',')}]}`;
}
