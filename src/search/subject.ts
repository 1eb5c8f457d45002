// Converts an entry of the catalog to a document of the index.

import type { Subject } from '../catalog/verbs/search-source.ts';
import { type DocumentKind, toReadable } from './extract/document-kind.ts';
import { type DocumentRecord, toDocument } from './sqlite/index-store.ts';

export function toRecord(subject: Subject): DocumentRecord {
  const { space, entry, name, content, content_type: contentType } = subject;
  const readable = content === null ? null : toReadable(contentType ?? '', name);
  return {
    document: toDocument(space, entry),
    name: name.normalize('NFC'),
    properties: toPropertiesText(subject),
    content,
    readable: readable === null ? null : `${readable.kind};${readable.charset ?? ''}`,
  };
}

/** Keys and values, a line each, and the object type. Default object types are left out: their words would match every
 *  entry. */
function toPropertiesText({ object_type: objectType, properties }: Subject): string {
  const lines = properties === null ? [] : Object.entries(JSON.parse(properties) as Record<string, string>);
  const text = lines.map(([key, value]) => `${key}: ${value}`);
  if (objectType !== null) text.push(objectType);
  // PostgreSQL cannot store NUL.
  return text.join('\n').replaceAll('\0', ' ').normalize('NFC');
}

export function fromReadable(readable: string): { kind: DocumentKind; charset: string | null } {
  const at = readable.indexOf(';');
  return { kind: readable.slice(0, at) as DocumentKind, charset: readable.slice(at + 1) || null };
}
