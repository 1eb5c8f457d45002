// `/.well-known/security.txt` (RFC 9116): where people report a flaw of this installation.

import { Type } from '../openapi/json-schema.ts';
import { type OpenRoute, routeNotFound } from '../route.ts';

/** It is made anew at each request, so it never expires while the service runs. */
const validForMs = 180 * 24 * 60 * 60 * 1000;

export const securityTextRoute: OpenRoute = {
  method: 'GET',
  path: '/.well-known/security.txt',
  action: null,
  async handle({ cabinet, publicUrl, serviceInfo: { securityContact } }) {
    if (securityContact === null) throw routeNotFound();
    const expires = new Date(cabinet.clock.now() + validForMs).toISOString();
    const lines = [
      `Contact: ${securityContact}`,
      `Expires: ${expires}`,
      `Canonical: ${publicUrl}/.well-known/security.txt`,
    ];
    const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
    return { status: 200, headers, body: `${lines.join('\n')}\n` };
  },
  describe: {
    operationId: 'SecurityText',
    tag: 'Service',
    summary: 'Where to report a vulnerability',
    description: 'By RFC 9116, with the contact of `CABINET_SECURITY_CONTACT`. Without that setting, 404.',
    responses: {
      200: {
        description: 'The text',
        content: {
          'text/plain': {
            schema: Type.String(),
            example: 'Contact: mailto:security@example.com\nExpires: 2026-07-14T09:30:00.123Z\n',
          },
        },
      },
    },
    refusals: ['RouteNotFound'],
  },
};
