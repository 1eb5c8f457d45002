// Which version of a file a link leads to, and how long: fixed when the link is made. What is saved later is not shown.

import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { type OpenedFile, openFile, requireContent } from './open-file.ts';

export const defaultLinkSeconds = 60;
export const maxLinkSeconds = 24 * 60 * 60;

export interface LinkFileRequest {
  fileId: string;
  /** Null: the current one. */
  version: number | null;
  lifetimeSeconds: number;
}

export interface LinkedVersion {
  space: number;
  fileId: string;
  version: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

export async function linkFile(cabinet: Cabinet, caller: Caller, request: LinkFileRequest): Promise<LinkedVersion> {
  const { fileId, version, lifetimeSeconds } = request;
  const { space, found } = await requireContent(cabinet, caller, { fileId, version });
  return { space, fileId, version: found.version, expiresAt: cabinet.clock.now() + lifetimeSeconds * 1000 };
}

/** As whoever made the link may still read it, in the space that it was made for. Whatever is in the way is told in the
 *  same words: who holds a link knows nothing else of us. */
export async function openLinked(
  cabinet: Cabinet,
  maker: Caller | null,
  { space, fileId, version }: Pick<LinkedVersion, 'space' | 'fileId' | 'version'>,
): Promise<OpenedFile> {
  if (maker === null) throw linkNotFound();
  const spaces = maker.spaces.filter((access) => access.space === space);
  try {
    return await openFile(cabinet, { ...maker, spaces }, { fileId, version });
  } catch (error) {
    throw error instanceof Refusal ? linkNotFound() : error;
  }
}

export function linkNotFound(): Refusal {
  return new Refusal('LinkNotFound', 'This link leads nowhere, or no longer.');
}
