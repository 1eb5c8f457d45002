// The live properties (RFC 4918, section 15; RFC 4331): computed from what is stored, and protected from PROPPATCH.

import type { DeadProperty } from '../catalog/verbs/dead-properties.ts';
import { supportedLocks } from './lock-discovery.ts';
import { escapeXml } from './xml-text.ts';

/** A resource as properties show it. */
export interface Described {
  href: string;
  isCollection: boolean;
  name: string;
  createdAt: number;
  modifiedAt: number;
  sizeBytes: number;
  contentType: string;
  /** Null for collections. */
  etag: string | null;
  /** Dead properties. */
  properties: readonly DeadProperty[];
  /** The XML in `lockdiscovery`; null: it cannot be locked. */
  locks: string | null;
  /** Of the space; null where none was requested, and for the list of spaces. */
  room: { usedBytes: number; availableBytes: number | null } | null;
}

/** The XML inside the property; null: the resource does not have it. */
type LiveProperty = (resource: Described) => string | null;

/** Those that `allprop` includes. */
const common: Record<string, LiveProperty> = {
  creationdate: ({ createdAt }) => new Date(createdAt).toISOString(),
  displayname: ({ name }) => escapeXml(name),
  getcontentlength: ({ isCollection, sizeBytes }) => (isCollection ? null : String(sizeBytes)),
  getcontenttype: ({ isCollection, contentType }) => (isCollection ? null : escapeXml(contentType)),
  getetag: ({ etag }) => (etag === null ? null : escapeXml(etag)),
  getlastmodified: ({ modifiedAt }) => new Date(modifiedAt).toUTCString(),
  lockdiscovery: ({ locks }) => locks,
  supportedlock: ({ locks }) => (locks === null ? null : supportedLocks),
  resourcetype: ({ isCollection }) => (isCollection ? '<D:collection/>' : ''),
};

/** RFC 4331: not part of `allprop`. */
const onRequest: Record<string, LiveProperty> = {
  'quota-available-bytes': ({ isCollection, room }) =>
    isCollection && room !== null && room.availableBytes !== null ? String(room.availableBytes) : null,
  'quota-used-bytes': ({ isCollection, room }) => (isCollection && room !== null ? String(room.usedBytes) : null),
};

export const commonNames = Object.keys(common);
export const quotaNames = Object.keys(onRequest);

const all = new Map([...Object.entries(common), ...Object.entries(onRequest)]);

export function isLive(namespace: string, name: string): boolean {
  return namespace === 'DAV:' && all.has(name);
}

/** The property as an element; null: the resource does not have it. */
export function renderLive(name: string, resource: Described): string | null {
  const content = all.get(name)?.(resource) ?? null;
  if (content === null) return null;
  return content === '' ? `<D:${name}/>` : `<D:${name}>${content}</D:${name}>`;
}
