// The lines of the matrix for the accounts of people: the request of each route.

import { CONTENT } from '../interface/client.ts';
import type { Way } from './foreign-ways.ts';
import type { ContentLine } from './matrix.ts';

const plainly = () => ({});
const withJson = (fields: object) => () => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(fields),
});

/** Everyone may change their own account, whatever their role. */
const own = { isForPeople: true, isForEveryRole: true } as const;

function withWrongPassword(path: string): ContentLine {
  return {
    path: () => path,
    request: withJson({ Password: 'not the current one' }),
    missing: null,
    ...own,
    refusal: { status: 403, code: 'PasswordInvalid' },
  };
}

export const accountLines: Record<string, ContentLine> = {
  [`GET ${CONTENT}/me`]: { path: () => '/me', request: plainly, missing: null },
  [`PUT ${CONTENT}/me/password`]: {
    path: () => '/me/password',
    request: withJson({ Current: 'not the current one', New: 'matrix of all routes' }),
    missing: null,
    ...own,
    refusal: { status: 403, code: 'PasswordInvalid' },
  },
  [`GET ${CONTENT}/me/sessions`]: { path: () => '/me/sessions', request: plainly, missing: null, ...own },
  [`DELETE ${CONTENT}/me/sessions/{id}`]: {
    path: () => '/me/sessions/unknown',
    request: plainly,
    missing: null,
    ...own,
    refusal: { status: 404, code: 'SessionNotFound' },
  },
  [`DELETE ${CONTENT}/me/sessions`]: {
    path: () => '/me/sessions',
    request: plainly,
    missing: null,
    ...own,
    endsSignIn: true,
  },
  [`GET ${CONTENT}/me/consents`]: { path: () => '/me/consents', request: plainly, missing: null, ...own },
  [`DELETE ${CONTENT}/me/consents/{appKey}`]: {
    path: () => '/me/consents/unknown',
    request: plainly,
    missing: null,
    ...own,
    refusal: { status: 404, code: 'ConsentNotFound' },
  },
  [`GET ${CONTENT}/me/app-passwords`]: { path: () => '/me/app-passwords', request: plainly, missing: null, ...own },
  [`POST ${CONTENT}/me/app-passwords`]: {
    path: () => '/me/app-passwords',
    request: withJson({ Name: 'matrix', Access: 'read' }),
    missing: null,
    ...own,
  },
  [`DELETE ${CONTENT}/me/app-passwords/{id}`]: {
    path: () => '/me/app-passwords/unknown',
    request: plainly,
    missing: null,
    ...own,
    refusal: { status: 404, code: 'AppPasswordNotFound' },
  },
  [`GET ${CONTENT}/me/second-factors`]: { path: () => '/me/second-factors', request: plainly, missing: null, ...own },
  [`POST ${CONTENT}/me/second-factors/totp/setup`]: withWrongPassword('/me/second-factors/totp/setup'),
  [`POST ${CONTENT}/me/second-factors/totp`]: {
    path: () => '/me/second-factors/totp',
    request: withJson({ Setup: 'unknown', Code: '000000', Name: 'matrix' }),
    missing: null,
    ...own,
    refusal: { status: 400, code: 'InvalidField' },
  },
  [`POST ${CONTENT}/me/second-factors/passkeys/setup`]: withWrongPassword('/me/second-factors/passkeys/setup'),
  [`POST ${CONTENT}/me/second-factors/passkeys`]: {
    path: () => '/me/second-factors/passkeys',
    request: withJson({ Setup: 'unknown', Credential: { id: 'x' }, Name: 'matrix' }),
    missing: null,
    ...own,
    refusal: { status: 400, code: 'InvalidField' },
  },
  [`POST ${CONTENT}/me/second-factors/recovery-codes`]: withWrongPassword('/me/second-factors/recovery-codes'),
  [`POST ${CONTENT}/me/second-factors/{id}/remove`]: withWrongPassword('/me/second-factors/unknown/remove'),
  [`GET ${CONTENT}/me/starred`]: { path: () => '/me/starred', request: plainly, missing: null, ...own },
  [`PUT ${CONTENT}/me/starred/{entryId}`]: {
    path: () => '/me/starred/unknown',
    request: plainly,
    missing: null,
    ...own,
    refusal: { status: 404, code: 'EntryNotFound' },
  },
  [`DELETE ${CONTENT}/me/starred/{entryId}`]: {
    path: () => '/me/starred/unknown',
    request: plainly,
    missing: null,
    ...own,
    refusal: { status: 404, code: 'EntryNotFound' },
  },
  [`GET ${CONTENT}/me/recent`]: { path: () => '/me/recent', request: plainly, missing: null, ...own },
};

const ownWay = (path: string, code: string): Record<string, Way> => ({
  plainly: {
    ask: (id) => ({ path: `${path}/${encodeURIComponent(id)}`, method: 'DELETE' }),
    code: new RegExp(`^(${code}|Forbidden)$`),
  },
});

const starWay = (method: string): Record<string, Way> => ({
  plainly: {
    ask: (id) => ({ path: `/me/starred/${encodeURIComponent(id)}`, method }),
    code: /^(EntryNotFound|Forbidden)$/,
  },
});

export const accountWays: Record<string, Record<string, Way>> = {
  [`DELETE ${CONTENT}/me/sessions/{id}`]: ownWay('/me/sessions', 'SessionNotFound'),
  [`DELETE ${CONTENT}/me/consents/{appKey}`]: ownWay('/me/consents', 'ConsentNotFound'),
  [`DELETE ${CONTENT}/me/app-passwords/{id}`]: ownWay('/me/app-passwords', 'AppPasswordNotFound'),
  // Without the password, which is checked before the id: wrong ones are limited.
  [`POST ${CONTENT}/me/second-factors/{id}/remove`]: {
    plainly: {
      ask: (id) => ({
        path: `/me/second-factors/${encodeURIComponent(id)}/remove`,
        method: 'POST',
        ...withJson({})(),
      }),
      code: /^(InvalidField|Forbidden)$/,
    },
  },
  [`PUT ${CONTENT}/me/starred/{entryId}`]: starWay('PUT'),
  [`DELETE ${CONTENT}/me/starred/{entryId}`]: starWay('DELETE'),
};

export const accountWithoutIds = Object.keys(accountLines).filter((key) => !key.includes('{'));
