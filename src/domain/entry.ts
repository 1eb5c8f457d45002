// What the cabinet holds: entries (folders and files), in spaces. The shape that every room speaks of; wire names are
// not known here.

export type Kind = 'folder' | 'file';

export interface Entry {
  /** A lower-case UUIDv7; stable across rename and move. */
  id: string;
  kind: Kind;
  /** Exactly what the client sent. */
  name: string;
  objectType: string;
  contentType: string;
  /** Milliseconds since 1970, server time. */
  createdAt: number;
  createdBy: string;
  modifiedAt: number;
  modifiedBy: string;
  /** A folder's is the total of the current versions of all files beneath it. */
  sizeBytes: number;
  properties: Record<string, string>;
}

/** When an entry that comes from elsewhere was made and changed there; in this order. */
export interface EntryTimes {
  createdAt: number;
  modifiedAt: number;
}

/** What to do when a name is taken. */
export const conflictBehaviors = ['Version', 'Fail', 'Rename', 'Existing'] as const;
export type ConflictBehavior = (typeof conflictBehaviors)[number];

export const defaultObjectType = { folder: 'cmis:folder', file: 'cmis:document' } as const satisfies Record<
  Kind,
  string
>;

export const folderContentType = 'inode/directory';

/** Folders below a root may be nested this deep. */
export const deepestLevel = 100;

/** By what a folder's children can be listed; with a dash, from the largest down. */
export const orders = ['name', '-name', 'natural', '-natural', 'modified', '-modified', 'size', '-size'] as const;
export type Order = (typeof orders)[number];

/** What a client may say of a version. */
export const longestComment = 1000;
