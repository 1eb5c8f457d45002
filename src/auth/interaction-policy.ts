// When a person is asked something on the way to an application: to sign in, to choose an account, to consent. The prompts are
// checked in this order; the first one that is needed is shown.

import { base, Check, Prompt } from 'oidc-provider/lib/helpers/interaction_policy/index.js';

/** The prompts that have a page. */
export type PromptName = 'select_account' | 'login' | 'consent';

/** The values of the parameter `prompt` (OpenID Connect Core 1.0, section 3.1.2.1). */
export const promptValues = ['none', 'login', 'consent', 'select_account'] as const;

/** Without a request for consent none is needed: applications are registered by an operator or a manager. */
export function toPolicy(): ReturnType<typeof base> {
  const policy = base();
  policy.remove('consent');
  policy.get('login')?.checks.add(
    new Check('session_ended', 'the person ended this session', 'login_required', ({ oidc }) => {
      return oidc.session?.accountId !== undefined && oidc.entities.Grant?.jti === undefined;
    }),
  );
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0);
  policy.add(new Prompt({ name: 'consent', requestable: true }));
  return policy;
}

/** The page of a prompt, in the path space of the service. */
export function toPromptPath(prompt: PromptName, uid: string): string {
  return prompt === 'consent' ? `/oauth2/consent/${uid}` : `/oauth2/login/${uid}`;
}
