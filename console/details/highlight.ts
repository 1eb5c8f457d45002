// Colours for source code, by the grammars of highlight.js. Their result is a tree, which becomes text in elements, never markup.

import { common, createLowlight } from 'lowlight';

export interface Token {
  text: string;
  kind: 'comment' | 'string' | 'number' | 'word' | 'name' | 'type' | null;
}

const lowlight = createLowlight(common);

/** Names and extensions that the grammars do not know as theirs. */
const others: Readonly<Record<string, string>> = {
  astro: 'xml',
  bashrc: 'bash',
  cfg: 'ini',
  conf: 'ini',
  cts: 'typescript',
  dockerfile: 'bash',
  editorconfig: 'ini',
  env: 'bash',
  fish: 'bash',
  gradle: 'java',
  groovy: 'java',
  hcl: 'ini',
  htm: 'xml',
  jenkinsfile: 'java',
  json5: 'json',
  jsonl: 'json',
  makefile: 'makefile',
  mts: 'typescript',
  npmrc: 'ini',
  profile: 'bash',
  properties: 'ini',
  proto: 'c',
  rakefile: 'ruby',
  gemfile: 'ruby',
  sass: 'scss',
  scala: 'java',
  svelte: 'xml',
  tf: 'ini',
  vue: 'xml',
  zig: 'rust',
};

const kinds: Readonly<Record<string, Token['kind']>> = {
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
  doctag: 'comment',
  string: 'string',
  regexp: 'string',
  char: 'string',
  addition: 'string',
  number: 'number',
  symbol: 'number',
  deletion: 'number',
  keyword: 'word',
  literal: 'word',
  'selector-tag': 'word',
  tag: null,
  name: 'word',
  title: 'name',
  section: 'name',
  'selector-class': 'name',
  'selector-id': 'name',
  attr: 'type',
  attribute: 'type',
  property: 'type',
  type: 'type',
  built_in: 'type',
  class: 'type',
  variable: 'type',
  'template-variable': 'type',
};

/** Null: no grammar for it. */
export function languageOf(name: string, contentType: string): string | null {
  const known = [name.toLowerCase(), contentType.split(';')[0] ?? '']
    .map((one) => one.split(/[./+]/).at(-1) ?? '')
    .map((one) => others[one] ?? one);
  return known.find((one) => lowlight.registered(one)) ?? null;
}

interface TreeNode {
  type: string;
  value?: string;
  children?: readonly TreeNode[];
  properties?: { className?: unknown };
}

/** The tokens of each line. */
export function highlightLines(text: string, language: string): Token[][] {
  const lines: Token[][] = [[]];
  const walk = ({ value, children = [], properties }: TreeNode, around: Token['kind']) => {
    const kind = kindOf(properties?.className) ?? around;
    if (value !== undefined) add(lines, value, kind);
    for (const child of children) walk(child, kind);
  };
  walk(lowlight.highlight(language, text) as TreeNode, null);
  return lines;
}

function kindOf(className: unknown): Token['kind'] {
  const [first] = Array.isArray(className) ? (className as unknown[]) : [];
  return kinds[String(first).replace(/^hljs-/, '')] ?? null;
}

function add(lines: Token[][], text: string, kind: Token['kind']): void {
  for (const [index, part] of text.split(/\r?\n/).entries()) {
    if (index > 0) lines.push([]);
    if (part !== '') lines.at(-1)?.push({ text: part, kind });
  }
}
