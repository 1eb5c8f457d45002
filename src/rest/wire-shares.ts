// Renders shares as JSON: for their makers, and for those who use them, who learn nothing of people and properties.

import type { FolderPage } from '../catalog/verbs/list-folder.ts';
import type { Entry } from '../domain/entry.ts';
import type { Share } from '../domain/share.ts';
import type { ShownShare } from '../operations/shares.ts';
import type { EnvironmentContext } from './environment-context.ts';
import { renderEntry, renderEnvelope, renderTime } from './wire.ts';

export function renderShare(context: EnvironmentContext, shown: ShownShare): string {
  return JSON.stringify({ Share: toFields(context, shown) });
}

export function renderShares(context: EnvironmentContext, shares: readonly ShownShare[]): string {
  return JSON.stringify({ Shares: shares.map((shown) => toFields(context, shown)) });
}

/** Of pages for people, which the mutual-TLS address does not have. */
function toFields({ pagesUrl }: EnvironmentContext, { share, secret }: ShownShare): object {
  return {
    Id: share.id,
    EntryId: share.entryId,
    Access: share.access,
    Name: share.name,
    Note: share.note,
    Url: secret === null ? null : `${pagesUrl}/s/${secret}`,
    HasPassword: share.hasPassword,
    ExpiresAt: renderTime(share.expiresAt),
    MaxDownloads: share.maxDownloads,
    Downloads: share.downloads,
    Uploads: share.uploads,
    CreatedAt: renderTime(share.createdAt),
    CreatedBy: share.createdBy,
    LastUsedAt: share.lastUsedAt === null ? null : renderTime(share.lastUsedAt),
    State: share.state,
  };
}

function toVisible({ name, note, access, expiresAt, hasPassword }: Share): string {
  return JSON.stringify({
    Name: name,
    Note: note,
    Access: access,
    ExpiresAt: renderTime(expiresAt),
    HasPassword: hasPassword,
  });
}

export function toAnonymous(entry: Entry): Entry {
  return { ...entry, createdBy: '', modifiedBy: '', properties: {} };
}

type Listing = Pick<FolderPage, 'folder' | 'children'>;

/** `{"Folder", "Children"}` */
export function renderSharedFolder({ folder, children }: Listing): string {
  return renderEnvelope({ folder: toAnonymous(folder), children: children.map(toAnonymous) });
}

export function renderOpenedShare(share: Share, content: Listing | Entry | null): string {
  const head = `{"Share":${toVisible(share)}`;
  if (content === null) return `${head}}`;
  if ('folder' in content) return `${head},${renderSharedFolder(content).slice(1)}`;
  return `${head},"File":${renderEntry(toAnonymous(content))}}`;
}

export function renderReceived({
  name,
  sizeBytes,
  sha256,
}: {
  name: string;
  sizeBytes: number;
  sha256: Uint8Array;
}): string {
  return JSON.stringify({ Name: name, Size: sizeBytes, Sha256: Buffer.from(sha256).toString('hex') });
}
