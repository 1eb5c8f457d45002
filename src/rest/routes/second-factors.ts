// `/me/second-factors`: what the caller shows beside the password when signing in. Changes need the password once more.

import { admitSelf } from '../../operations/me.ts';
import * as factors from '../../operations/second-factors.ts';
import { json } from '../answer.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import { jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import * as schemas from '../openapi/me-schemas.ts';
import { compileCheck } from '../openapi/schemas.ts';
import type { CallerExchange, CallerRoute } from '../route.ts';
import { renderAddedFactor, renderSecondFactors, renderTotpSetup } from '../wire-me.ts';

export const path = '/v1/contentmanagement/me/second-factors';
const { AddTotp, exampleSecondFactor, Nothing, PasswordProof } = schemas;
const exampleCodes = ['k3wd-7qpa-x2mn-5rte'];

const checkProof = compileCheck(PasswordProof);
const exampleProof = { Password: 'four words nobody expects' };
export const proofBody = (description: string) => jsonBody(description, PasswordProof, exampleProof);
export const proofRefusals = ['Forbidden', 'PasswordInvalid', 'TooManyRequests'] as const;

export async function readProof(exchange: CallerExchange): Promise<factors.Proof> {
  const body = await readJsonBody(exchange, { example: JSON.stringify(exampleProof) });
  return { password: checkProof(body).Password, address: exchange.arrival.address };
}

const listRoute: CallerRoute = {
  method: 'GET',
  path,
  action: 'read',
  async handle({ cabinet }, _exchange, caller) {
    return json(renderSecondFactors(await factors.listSecondFactors(cabinet, caller)));
  },
  describe: {
    operationId: 'MeSecondFactorsGet',
    tag: 'Account',
    summary: 'List your second factors',
    description: 'The oldest first, and how many recovery codes are left.',
    responses: {
      200: jsonAnswer('The second factors', {
        schema: schemas.SecondFactors,
        example: { SecondFactors: [exampleSecondFactor], RecoveryCodesLeft: 10, IsRequired: false },
      }),
    },
    refusals: ['Forbidden'],
  },
};

const beginTotpRoute: CallerRoute = {
  method: 'POST',
  path: `${path}/totp/setup`,
  action: 'write',
  async handle({ cabinet, pagesUrl }, exchange, caller) {
    admitSelf(caller);
    const proof = await readProof(exchange);
    return json(
      renderTotpSetup(
        await factors.beginTotp(cabinet, await exchange.renewCaller(), { ...proof, publicUrl: pagesUrl }),
      ),
    );
  },
  describe: {
    operationId: 'MeSecondFactorsTotpSetup',
    tag: 'Account',
    summary: 'Start to set up an authenticator app',
    description: 'Nothing changes before the first code is sent.',
    requestBody: proofBody('Your password, before a new key is shown'),
    responses: {
      200: jsonAnswer('The key for the app', {
        schema: schemas.TotpSetup,
        example: {
          Secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
          Uri: 'otpauth://totp/Cabinet%20files.example:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
          Setup: 'Zr0c…',
        },
      }),
    },
    refusals: [...proofRefusals],
  },
};

const checkTotp = compileCheck(AddTotp);
const exampleTotp = { Setup: 'Zr0c…', Code: '492039', Name: 'phone' };

const addTotpRoute: CallerRoute = {
  method: 'POST',
  path: `${path}/totp`,
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    admitSelf(caller);
    const body = checkTotp(await readJsonBody(exchange, { example: JSON.stringify(exampleTotp) }));
    const totp = { setup: body.Setup, code: body.Code, name: body.Name };
    return json(renderAddedFactor(await factors.addTotp(cabinet, await exchange.renewCaller(), totp)));
  },
  describe: {
    operationId: 'MeSecondFactorsTotpAdd',
    tag: 'Account',
    summary: 'Add an authenticator app',
    description:
      'From now on, signing in needs a code of the app (TOTP, RFC 6238: SHA-1, 6 digits, 30 seconds), each of which ' +
      'works once. The response to your first second factor has recovery codes.',
    requestBody: jsonBody('The setup that was begun, and the first code', AddTotp, exampleTotp),
    responses: {
      200: jsonAnswer('The authenticator app, and recovery codes if it is the first second factor', {
        schema: schemas.AddedSecondFactor,
        example: { SecondFactor: exampleSecondFactor, RecoveryCodes: exampleCodes },
      }),
    },
    refusals: ['Forbidden', 'SecondFactorInvalid', 'TooManySecondFactors'],
  },
};

const renewCodesRoute: CallerRoute = {
  method: 'POST',
  path: `${path}/recovery-codes`,
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    admitSelf(caller);
    const proof = await readProof(exchange);
    const codes = await factors.renewRecoveryCodes(cabinet, await exchange.renewCaller(), proof);
    return json(JSON.stringify({ RecoveryCodes: codes }));
  },
  describe: {
    operationId: 'MeSecondFactorsCodesRenew',
    tag: 'Account',
    summary: 'Create new recovery codes',
    description: 'Ten, each of which replaces a second factor once. Earlier ones end.',
    requestBody: proofBody('Your password, before the old codes end'),
    responses: {
      200: jsonAnswer('The codes', { schema: schemas.RecoveryCodes, example: { RecoveryCodes: exampleCodes } }),
    },
    refusals: [...proofRefusals, 'SecondFactorNotFound'],
  },
};

const removeRoute: CallerRoute = {
  method: 'POST',
  path: `${path}/{id}/remove`,
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    admitSelf(caller);
    const proof = await readProof(exchange);
    const id = exchange.parameters.id ?? '';
    await factors.removeSecondFactor(cabinet, await exchange.renewCaller(), { ...proof, id });
    return json('{}');
  },
  describe: {
    operationId: 'MeSecondFactorsRemove',
    tag: 'Account',
    summary: 'Remove a second factor',
    description: 'The recovery codes are removed with the last one.',
    parameters: [pathId('The id of one of your second factors')],
    requestBody: proofBody('Your password, before the second factor goes'),
    responses: { 200: jsonAnswer('The second factor is removed', { schema: Nothing, example: {} }) },
    refusals: [...proofRefusals, 'SecondFactorNotFound'],
  },
};

export const secondFactorRoutes: readonly CallerRoute[] = [
  listRoute,
  beginTotpRoute,
  addTotpRoute,
  renewCodesRoute,
  removeRoute,
];
