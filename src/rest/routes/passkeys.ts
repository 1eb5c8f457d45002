// `/me/second-factors/passkeys`: adding a passkey, in two requests with the browser's dialog in between.

import { admitSelf } from '../../operations/me.ts';
import { addPasskey, beginPasskey } from '../../operations/passkeys.ts';
import { json } from '../answer.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import { jsonAnswer, jsonBody } from '../openapi/description.ts';
import { AddedSecondFactor, AddPasskey, exampleSecondFactor, PasskeySetup } from '../openapi/me-schemas.ts';
import { compileCheck } from '../openapi/schemas.ts';
import type { CallerRoute } from '../route.ts';
import { renderAddedFactor } from '../wire-me.ts';
import { path, proofBody, proofRefusals, readProof } from './second-factors.ts';

const beginRoute: CallerRoute = {
  method: 'POST',
  path: `${path}/passkeys/setup`,
  action: 'write',
  async handle({ cabinet, pagesUrl }, exchange, caller) {
    admitSelf(caller);
    const proof = { ...(await readProof(exchange)), publicUrl: pagesUrl };
    const { options, setup } = await beginPasskey(cabinet, await exchange.renewCaller(), proof);
    return json(JSON.stringify({ Options: options, Setup: setup }));
  },
  describe: {
    operationId: 'MeSecondFactorsPasskeysSetup',
    tag: 'Account',
    summary: 'Start to add a passkey',
    description:
      'The options are for `navigator.credentials.create` in a page of this service’s own address; passkeys work ' +
      'nowhere else. A numeric address cannot have any.',
    requestBody: proofBody('Your password, before the browser makes a passkey'),
    responses: {
      200: jsonAnswer('The options', {
        schema: PasskeySetup,
        example: { Options: { challenge: 'kQ2x…', rp: { name: 'Cabinet', id: 'files.example' } }, Setup: 'Zr0c…' },
      }),
    },
    refusals: [...proofRefusals],
  },
};

const checkAdd = compileCheck(AddPasskey);
const example = { Setup: 'Zr0c…', Credential: { id: 'Y3JlZA' }, Name: 'laptop' };

const addRoute: CallerRoute = {
  method: 'POST',
  path: `${path}/passkeys`,
  action: 'write',
  async handle({ cabinet, pagesUrl }, exchange, caller) {
    admitSelf(caller);
    const body = checkAdd(await readJsonBody(exchange, { example: JSON.stringify(example) }));
    const passkey = { setup: body.Setup, credential: body.Credential, name: body.Name, publicUrl: pagesUrl };
    return json(renderAddedFactor(await addPasskey(cabinet, await exchange.renewCaller(), passkey)));
  },
  describe: {
    operationId: 'MeSecondFactorsPasskeysAdd',
    tag: 'Account',
    summary: 'Add a passkey',
    description:
      'From now on, signing in needs the passkey, another second factor or a recovery code. The response to your ' +
      'first second factor has recovery codes.',
    requestBody: jsonBody('The setup that was begun, and what the browser made', AddPasskey, example),
    responses: {
      200: jsonAnswer('The passkey, and recovery codes if it is the first second factor', {
        schema: AddedSecondFactor,
        example: {
          SecondFactor: { ...exampleSecondFactor, Kind: 'passkey', Name: 'laptop' },
          RecoveryCodes: ['k3wd-7qpa-x2mn-5rte'],
        },
      }),
    },
    refusals: ['Forbidden', 'SecondFactorInvalid', 'TooManySecondFactors'],
  },
};

export const passkeyRoutes: readonly CallerRoute[] = [beginRoute, addRoute];
