// Links to one version of a file. Version and expiry are fixed when the link is created; later saves do not change it.

import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { type OpenedFile, openFile, requireContent } from './open-file.ts';

export const defaultLinkSeconds = 60;
export const maxLinkSeconds = 24 * 60 * 60;

interface LinkFileRequest {
  fileId: string;
  /** Null for the current one. */
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
  const { space, content } = await requireContent(cabinet, caller, { fileId, version });
  return { space, fileId, version: content.version, expiresAt: cabinet.clock.now() + lifetimeSeconds * 1000 };
}

/** Opens the file with the current rights of the link's creator, in the space of the link. Every refusal is the same, so that
 *  the holder of a link learns nothing else. */
export async function openLinked(
  cabinet: Cabinet,
  creator: Caller | null,
  { space, fileId, version }: Pick<LinkedVersion, 'space' | 'fileId' | 'version'>,
): Promise<OpenedFile> {
  if (creator === null) throw linkNotFound();
  const spaces = creator.spaces.filter((access) => access.space === space);
  try {
    return await openFile(cabinet, { ...creator, spaces }, { fileId, version });
  } catch (error) {
    throw error instanceof Refusal ? linkNotFound() : error;
  }
}

export function linkNotFound(): Refusal {
  return new Refusal('LinkNotFound', 'This link leads nowhere, or no longer.');
}
