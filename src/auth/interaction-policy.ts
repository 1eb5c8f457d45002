// When a person is asked something on the way to an application: to sign in, to choose an account, to consent. The prompts are
// checked in this order; the first one that is needed is shown.

import { base, Check, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js';
import type { Catalog } from '../catalog/catalog.ts';
import { commandLineAppKey } from '../domain/built-in-applications.ts';

/** What an application may have of what it asks for. */
export function toShownScopes(registered: string | undefined, requested: readonly string[]): string[] {
  const known = new Set((registered ?? '').split(' '));
  return requested.filter((name) => known.has(name));
}

/** The prompts that have a page. */
export type PromptName = 'select_account' | 'login' | 'consent';

/** The values of the parameter `prompt` (OpenID Connect Core 1.0, section 3.1.2.1). */
export const promptValues = ['none', 'login', 'consent', 'select_account'] as const;

/** Consent is needed where the application asks for more than the person has allowed it before. Most applications that operators
 *  registered need none. */
export function toPolicy({ catalog }: { catalog: Catalog }): ReturnType<typeof base> {
  const policy = base();
  policy.remove('consent');
  policy.get('login')?.checks.add(
    new Check('session_ended', 'the person ended this session', 'login_required', ({ oidc }) => {
      return oidc.session?.accountId !== undefined && oidc.entities.Grant?.jti === undefined;
    }),
  );
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0);
  const consent = new Check('consent_missing', 'the person has not agreed', 'consent_required', async ({ oidc }) => {
    const { client, session, requestParamScopes } = oidc;
    if (client?.asks_consent !== true || session?.accountId === undefined) return false;
    const allowed = await catalog.findConsent({ user: session.accountId, appKey: client.clientId });
    return toShownScopes(client.scope, [...requestParamScopes]).some((scope) => !allowed.includes(scope));
  });
  // "The authorization server SHOULD NOT process repeated authorization requests automatically […] unless the identity of the client
  // can be assured" (RFC 8252, section 8.6): any program on the person's machine can pass for the command line.
  const eachTime = new Check(
    'consent_each_time',
    'the person agrees at each sign-in',
    'consent_required',
    ({ oidc }) => {
      return oidc.client?.clientId === commandLineAppKey && oidc.result?.consent === undefined;
    },
  );
  policy.add(new Prompt({ name: 'consent', requestable: true }, consent, eachTime));
  return policy;
}

/** The page of a prompt, in the path space of the service. */
export function toPromptPath(prompt: PromptName, uid: string): string {
  return prompt === 'consent' ? `/oauth2/consent/${uid}` : `/oauth2/login/${uid}`;
}
