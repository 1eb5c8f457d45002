// A question to a person, between the form that `oidc-provider` stores and the form that our pages use.

import type { InteractionResults } from 'oidc-provider';
import type { Provider } from 'oidc-provider/lib/provider.js';
import { toDevice } from './device-sign-in.ts';
import { type PromptName, toShownScopes } from './interaction-policy.ts';
import type { Interaction, InteractionAnswer, IssuerOptions } from './issuer-contract.ts';

type Stored = Awaited<ReturnType<Provider['interactionDetails']>>;

/** Null: its application is gone. */
export async function toInteraction(
  { uid, prompt, params, session, deviceCode: id }: Stored,
  { Client, DeviceCode }: Provider,
  { catalog }: Pick<IssuerOptions, 'catalog'>,
): Promise<Interaction | null> {
  const { client_id: appKey, redirect_uri: redirectUri, scope } = params as Record<string, string | undefined>;
  const client = await Client.find(String(appKey));
  if (client === undefined) return null;
  const user = session?.accountId === undefined ? null : await catalog.findUser({ id: session.accountId });
  return {
    uid,
    prompt: prompt.name as PromptName,
    appKey: client.clientId,
    applicationName: client.clientName ?? '',
    redirectUri: redirectUri ?? null,
    device: id === undefined ? null : toDevice((await findCode(DeviceCode, id))?.deviceInfo),
    scopes: toShownScopes(client.scope, (scope ?? '').split(' ')),
    user: user && { id: user.id, name: user.name },
  };
}

function findCode(model: Provider['DeviceCode'], id: unknown) {
  return model.find(String(id), { ignoreExpiration: true, ignoreSessionBinding: true } as {
    ignoreExpiration: boolean;
  });
}

/** Each key settles the prompt of its name. Whoever signs in has chosen an account thereby. */
export function toResult(answer: InteractionAnswer): InteractionResults {
  switch (answer.kind) {
    case 'signedIn': {
      const login = { accountId: answer.userId, remember: false, ts: answer.signedInAt, amr: [...answer.methods] };
      return { login, select_account: {} };
    }
    case 'sameAccount':
      return { select_account: {} };
    case 'allowed':
      return { consent: {} };
    case 'denied':
      return { error: 'access_denied', error_description: 'the person did not allow it' };
  }
}
