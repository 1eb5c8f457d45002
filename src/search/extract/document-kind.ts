// Decides which contents have text, by content type, and by name where the type is vague.

import { readMediaType } from '../../domain/content-type.ts';

export type DocumentKind = 'text' | 'json' | 'html' | 'pdf' | 'docx' | 'xlsx' | 'pptx';

export interface Readable {
  kind: DocumentKind;
  charset: string | null;
}

const officePrefix = 'application/vnd.openxmlformats-officedocument.';

const kinds: Record<string, DocumentKind> = {
  'application/json': 'json',
  'application/ld+json': 'json',
  'application/x-ndjson': 'json',
  'application/xhtml+xml': 'html',
  'application/pdf': 'pdf',
  'application/csv': 'text',
  'application/markdown': 'text',
  'application/yaml': 'text',
  'application/x-yaml': 'text',
  'application/toml': 'text',
  'application/sql': 'text',
  'application/xml': 'html',
  'text/xml': 'html',
  'text/html': 'html',
  'text/json': 'json',
  [`${officePrefix}wordprocessingml.document`]: 'docx',
  [`${officePrefix}wordprocessingml.template`]: 'docx',
  [`${officePrefix}spreadsheetml.sheet`]: 'xlsx',
  [`${officePrefix}spreadsheetml.template`]: 'xlsx',
  [`${officePrefix}presentationml.presentation`]: 'pptx',
  [`${officePrefix}presentationml.slideshow`]: 'pptx',
  [`${officePrefix}presentationml.template`]: 'pptx',
  'application/vnd.ms-word.document.macroenabled.12': 'docx',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
  'application/vnd.ms-powerpoint.presentation.macroenabled.12': 'pptx',
};

const kindsByExtension = new Map<string, DocumentKind>(
  Object.entries({
    txt: 'text',
    md: 'text',
    markdown: 'text',
    csv: 'text',
    tsv: 'text',
    log: 'text',
    json: 'json',
    html: 'html',
    htm: 'html',
    pdf: 'pdf',
    docx: 'docx',
    xlsx: 'xlsx',
    pptx: 'pptx',
  }),
);

/** Types that clients send when they do not know. */
const vague = new Set([
  'application/octet-stream',
  'binary/octet-stream',
  'application/zip',
  'application/x-zip-compressed',
]);

/** Null when the content has no text. */
export function toReadable(contentType: string, name: string): Readable | null {
  const type = readMediaType(contentType);
  const essence = type?.essence ?? 'application/octet-stream';
  const charset = type?.parameters.get('charset') ?? null;
  const known = kinds[essence];
  if (known !== undefined) return { kind: known, charset };
  if (vague.has(essence)) {
    const kind = kindsByExtension.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
    return kind === undefined ? null : { kind, charset };
  }
  if (essence.endsWith('+json')) return { kind: 'json', charset };
  return essence.startsWith('text/') ? { kind: 'text', charset } : null;
}
