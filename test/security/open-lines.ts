// The lines of the matrix for routes that need no credentials, or have their own.

import { sharedLines } from './share-lines.ts';
import { uploadOptions } from './upload-lines.ts';

export interface Shown {
  status: number;
  says: RegExp;
}

/** Routes that need none, or have their own: the same answer to every caller of the content interface. */
export interface OpenLine {
  plain: Shown;
  mutualTls: Shown;
}

const everywhere = (status: number, says: RegExp): OpenLine => ({
  plain: { status, says },
  mutualTls: { status, says },
});
/** "It is not there on the mutual-TLS address." */
const forPeople = (status: number, says: RegExp): OpenLine => ({
  plain: { status, says },
  mutualTls: { status: 404, says: /"Code":"RouteNotFound"/ },
});

export const openLines: Record<string, OpenLine> = {
  ...uploadOptions,
  'GET /.well-known/security.txt': everywhere(404, /"Code":"RouteNotFound"/),
  'GET /health/live': everywhere(200, /^\{"Status":"live"\}$/),
  'GET /health/ready': everywhere(200, /^\{"Status":"ready"\}$/),
  'GET /health/ready/write': everywhere(200, /^\{"Status":"ready"\}$/),
  'GET /metrics': everywhere(200, /^# HELP cabinet_build_info /),
  'GET /openapi.json': everywhere(200, /^\{"openapi":"3\.1\.0"/),
  'GET /links/{token}': everywhere(404, /"Code":"LinkNotFound"/),
  ...sharedLines,
  'GET /docs': everywhere(200, /<title>The interface/),
  // The name in braces is none of its files.
  'GET /docs/{file}': everywhere(404, /"Code":"RouteNotFound"/),
  'GET /': forPeople(200, /<title>Cabinet/),
  'GET /files': forPeople(200, /<title>Cabinet/),
  'GET /files/{id}': forPeople(200, /<title>Cabinet/),
  'GET /search': forPeople(200, /<title>Cabinet/),
  'GET /trash': forPeople(200, /<title>Cabinet/),
  'GET /shared': forPeople(200, /<title>Cabinet/),
  'GET /starred': forPeople(200, /<title>Cabinet/),
  'GET /recent': forPeople(200, /<title>Cabinet/),
  'GET /links': forPeople(200, /<title>Cabinet/),
  'GET /changes': forPeople(200, /<title>Cabinet/),
  'GET /account': forPeople(200, /<title>Cabinet/),
  'GET /manage': forPeople(200, /<title>Cabinet/),
  'GET /manage/{page}': forPeople(200, /<title>Cabinet/),
  'GET /manage/{page}/{id}': forPeople(200, /<title>Cabinet/),
  // The name in braces is none of its files.
  'GET /assets/{file}': forPeople(404, /"Code":"RouteNotFound"/),
  'GET /oauth2/login/{uid}': forPeople(400, /sign-in that is over or was begun in another browser/),
  'POST /oauth2/login/{uid}': forPeople(400, /sign-in that is over or was begun in another browser/),
  'GET /oauth2/passkey.js': forPeople(200, /^\/\/ Asks the browser for a passkey/),
  'GET /oauth2/consent/{uid}': forPeople(400, /sign-in that is over or was begun in another browser/),
  'POST /oauth2/consent/{uid}': forPeople(400, /sign-in that is over or was begun in another browser/),
  'GET /setup/{secret}': forPeople(404, /This link does not work/),
  'POST /setup/{secret}': forPeople(404, /This link does not work/),
  'POST /oauth2/token': everywhere(401, /"error":"invalid_client"/),
  'POST /oauth2/revoke': everywhere(401, /"error":"invalid_client"/),
  // The private half of a key has a `d`.
  'GET /oauth2/jwks': everywhere(200, /^\{"keys":\[(?!.*"d":)/),
  'GET /.well-known/oauth-authorization-server': everywhere(200, /"token_endpoint":/),
  'GET /.well-known/openid-configuration': everywhere(200, /"token_endpoint":/),
  'GET /oauth2/authorize': forPeople(400, /client_id/),
  'POST /oauth2/authorize': forPeople(400, /"Code":"InvalidBody"/),
  'GET /oauth2/authorize/{uid}': forPeople(400, /<title>/),
  'POST /oauth2/device': forPeople(401, /"error":"invalid_client"/),
  'GET /device': forPeople(200, /<form/),
  'POST /device': forPeople(303, /^/),
  'GET /device/{uid}': forPeople(303, /^/),
  'GET /oauth2/logout': forPeople(200, /<form/),
  'POST /oauth2/logout/confirm': forPeople(400, /"error":"invalid_request"/),
  'GET /oauth2/logout/success': forPeople(200, /<title>/),
};
