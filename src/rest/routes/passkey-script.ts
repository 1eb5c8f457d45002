// The script of the page that asks for a passkey. It is a file of its own because no page has inline scripts.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesAnswer } from '../openapi/description.ts';
import type { OpenRoute } from '../route.ts';

const type = 'text/javascript; charset=utf-8';
let script: string | null = null;

export const passkeyScriptRoute: OpenRoute = {
  method: 'GET',
  path: '/oauth2/passkey.js',
  action: null,
  isForPeople: true,
  async handle() {
    script ??= readFileSync(join(import.meta.dirname, '../../auth/passkey.js'), 'utf8');
    const headers = { 'Content-Type': type, 'Cache-Control': 'no-cache', 'X-Content-Type-Options': 'nosniff' };
    return { status: 200, headers, body: script };
  },
  describe: {
    operationId: 'PasskeyScript',
    tag: 'Signing in',
    summary: 'The script of the page that asks for a passkey',
    description: 'Loaded by the page after the password, where the person has a passkey.',
    responses: { 200: bytesAnswer('The script', type) },
    refusals: ['RouteNotFound', 'StorageFull', 'TooManyRequests'],
  },
};
