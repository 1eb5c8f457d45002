// The kind of a file, for its icon and preview.

import type { Entry } from '@cabinet/client';
import type { IconName } from '../parts/icon.tsx';

export type Kind =
  | 'folder'
  | 'picture'
  | 'sound'
  | 'film'
  | 'pdf'
  | 'markdown'
  | 'table'
  | 'code'
  | 'text'
  | 'office'
  | 'other';

const codeNames =
  /(\.(astro|bash|bat|c|cc|cfg|cjs|clj|cmd|conf|cpp|cs|css|cts|dart|diff|env|erl|exs?|fish|go|gradle|graphql|groovy|h|hcl|hpp|hs|html?|ini|java|jl|js|json|json5|jsonc|jsonl|jsx|kts?|less|lua|m|mjs|ml|mts|nix|patch|php|pl|properties|proto|ps1|py|r|rb|rs|sass|scala|scss|sh|sql|svelte|swift|tf|toml|ts|tsx|vb|vue|xml|ya?ml|zig|zsh)|^(\.(bashrc|dockerignore|editorconfig|gitignore|npmrc|profile|zshrc)|Dockerfile|Gemfile|Jenkinsfile|Makefile|Rakefile))$/i;
/** Types that are guessed from names which source code has too: `.ts` is TypeScript far more often than an MPEG stream. */
const mistakenTypes = /^(video\/mp2t|audio\/x-mpegurl|application\/[\w.+-]+|image\/x-[\w+-]+)$/;
const codeTypes =
  /^(application\/(json|xml|javascript|x-sh|x-yaml|yaml|toml|sql|[\w.+-]+\+(json|xml))|text\/(html|css|javascript|xml|x-[\w+-]+))$/;
const officeTypes = /^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument)\./;
const officeNames = /\.(docx|xlsx|pptx|odt|ods|odp)$/i;
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
  office: 'text',
  other: 'file',
};

type Named = Pick<Entry, 'Name' | 'Type' | 'ContentType'>;

export function kindOf({ Name, Type, ContentType }: Named): Kind {
  if (Type === 'folder') return 'folder';
  const type = ContentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (codeNames.test(Name) && mistakenTypes.test(type) && type !== 'application/pdf') return 'code';
  if (/^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/.test(type)) return 'picture';
  if (type.startsWith('audio/')) return 'sound';
  if (type.startsWith('video/')) return 'film';
  if (type === 'application/pdf') return 'pdf';
  if (type === 'text/markdown' || /\.(md|markdown)$/i.test(Name)) return 'markdown';
  if (type === 'text/csv' || type === 'text/tab-separated-values' || /\.(csv|tsv)$/i.test(Name)) return 'table';
  if (officeTypes.test(type) || officeNames.test(Name)) return 'office';
  if (codeTypes.test(type) || codeNames.test(Name)) return 'code';
  return type.startsWith('text/') ? 'text' : 'other';
}

export function iconOf(entry: Named): IconName {
  return icons[kindOf(entry)];
}
