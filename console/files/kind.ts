// The kind of a file, for its icon and preview.

import type { Entry } from '@cabinet/client';
import type { IconName } from '../parts/icon.tsx';

export type Kind = 'folder' | 'picture' | 'sound' | 'film' | 'pdf' | 'markdown' | 'table' | 'code' | 'text' | 'other';

const codeNames =
  /\.(c|cc|cpp|cs|css|go|h|hpp|html?|java|js|json|jsonl|jsx|kt|mjs|cjs|php|py|rb|rs|scss|sh|bash|sql|svelte|swift|toml|ts|tsx|vue|xml|ya?ml|zig)$/i;
const codeTypes =
  /^(application\/(json|xml|javascript|x-sh|x-yaml|yaml|toml|sql|[\w.+-]+\+(json|xml))|text\/(html|css|javascript|xml|x-[\w+-]+))$/;
const icons: Record<Kind, IconName> = {
  folder: 'folder',
  picture: 'picture',
  sound: 'sound',
  film: 'film',
  pdf: 'text',
  markdown: 'text',
  table: 'table',
  code: 'code',
  text: 'text',
  other: 'file',
};

type Named = Pick<Entry, 'Name' | 'Type' | 'ContentType'>;

export function kindOf({ Name, Type, ContentType }: Named): Kind {
  if (Type === 'folder') return 'folder';
  const type = ContentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (/^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/.test(type)) return 'picture';
  if (type.startsWith('audio/')) return 'sound';
  if (type.startsWith('video/')) return 'film';
  if (type === 'application/pdf') return 'pdf';
  if (type === 'text/markdown' || /\.(md|markdown)$/i.test(Name)) return 'markdown';
  if (type === 'text/csv' || type === 'text/tab-separated-values' || /\.(csv|tsv)$/i.test(Name)) return 'table';
  if (codeTypes.test(type) || codeNames.test(Name)) return 'code';
  return type.startsWith('text/') ? 'text' : 'other';
}

export function iconOf(entry: Named): IconName {
  return icons[kindOf(entry)];
}
