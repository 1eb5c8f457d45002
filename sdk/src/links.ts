// Short-lived addresses for the bytes of a file, for what cannot send headers: an image in a page, a mail.

import type { Cabinet, CallOptions } from './connect.ts';
import type { Link } from './description.ts';
import { call } from './request.ts';

export interface LinkRequest {
  /** The id of the file. */
  id: string;
  /** 60 by default; a day at most. */
  expiresInSeconds?: number | undefined;
  /** The current one by default. */
  version?: number | undefined;
  /** Whether a browser keeps what it gets (by default) or shows it, if that is safe. */
  disposition?: 'attachment' | 'inline' | undefined;
}

/** Makes an address that anyone can read the file at, for a while. */
export function createLink(
  cabinet: Cabinet,
  { id, ...request }: LinkRequest,
  options: CallOptions = {},
): Promise<Link> {
  return call(cabinet, 'POST /files/{id}/link', {
    ...options,
    path: { id },
    json: {
      ExpiresInSeconds: request.expiresInSeconds,
      Version: request.version,
      Disposition: request.disposition,
    },
    isRepeatable: true,
  });
}

/** Ends the addresses of a file that you made; those of everybody, if you manage the space. */
export async function endLinks(cabinet: Cabinet, { id }: { id: string }, options: CallOptions = {}): Promise<void> {
  await call(cabinet, 'DELETE /files/{id}/link', { ...options, path: { id }, isRepeatable: true });
}
