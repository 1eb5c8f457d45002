// What a share is: a link by which whoever has its secret reads an entry, or sends files into a folder.

export const shareAccesses = ['read', 'upload'] as const;
export type ShareAccess = (typeof shareAccesses)[number];

/** `suspended`: the maker may no longer change the entry, or the entry is in the trash. */
export const shareStates = ['active', 'expired', 'exhausted', 'suspended', 'revoked'] as const;
export type ShareState = (typeof shareStates)[number];

export interface Share {
  id: string;
  space: number;
  entryId: string;
  access: ShareAccess;
  name: string;
  note: string | null;
  hasPassword: boolean;
  expiresAt: number;
  /** Null: unlimited. */
  maxDownloads: number | null;
  downloads: number;
  uploads: number;
  createdAt: number;
  /** The actor in the journal. */
  createdBy: string;
  /** The person who made it; null: the application did, for itself. */
  user: string | null;
  appKey: string;
  lastUsedAt: number | null;
  state: ShareState;
}

/** The actor of whoever uses it. */
export function toShareActor({ id }: Pick<Share, 'id'>): string {
  return `share:${id}`;
}
