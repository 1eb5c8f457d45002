// What the service made of a file: a thumbnail, a preview. Answered with an ETag of its own, and inert in a browser.

import type { IncomingMessage } from 'node:http';
import type { Answer } from '../../listener/answer.ts';
import { bytesAnswer, header } from '../openapi/description.ts';
import { exampleETag } from '../openapi/examples.ts';
import { answerHeader } from '../openapi/headers.ts';
import { checkConditions } from './conditions.ts';

export interface Derived {
  /** Of the content that it was made of. */
  sha256: Uint8Array;
  modifiedAt: number;
  read(): Promise<Uint8Array>;
}

/** `kind` tells what is made of the same content apart. */
export async function answerDerived(
  request: IncomingMessage,
  derived: Derived,
  { kind, headers: ownHeaders }: { kind: string; headers: Record<string, string> },
): Promise<Answer> {
  const etag = `"${Buffer.from(derived.sha256).toString('base64url')}-${kind}"`;
  // The address stays when the file changes.
  const headers = { ETag: etag, 'Cache-Control': 'private, no-cache' };
  const verdict = checkConditions(request, { etag, modifiedAtMs: derived.modifiedAt, isDated: false });
  if (verdict === 'unchanged') return { status: 304, headers, body: '' };
  if (verdict === 'failed') return { status: 412, headers: { ...headers, 'Content-Length': '0' }, body: '' };
  const { buffer, byteOffset, byteLength } = await derived.read();
  return {
    status: 200,
    headers: {
      ...headers,
      ...ownHeaders,
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "sandbox; default-src 'none'",
    },
    body: Buffer.from(buffer, byteOffset, byteLength),
  };
}

const headersOfAll = answerHeader('ETag');

export const derivedCondition = header('If-None-Match', '304 if it is still that one', exampleETag);

export function describeDerived(text: string, type: string) {
  return {
    200: bytesAnswer(text, type, headersOfAll),
    304: { description: 'It has not changed', headers: headersOfAll },
    412: { description: 'It has changed', headers: headersOfAll },
  };
}
