// Markdown, the part of it that people write: headings, lists, quotes, code, emphasis, links. HTML inside stays text. Links
// lead to http, https and mail only, in a tab of their own that knows nothing of this one.

import type { ReactNode } from 'react';

export function Markdown({ text }: { text: string }) {
  return <div className="look-markdown">{toBlocks(text.split(/\r?\n/))}</div>;
}

type Tag = 'h1' | 'h2' | 'h3' | 'h4' | 'h5' | 'h6';

function toBlocks(lines: readonly string[]): ReactNode[] {
  const blocks: ReactNode[] = [];
  for (let at = 0; at < lines.length; ) {
    const { block, next } = toBlock(lines, at);
    if (block !== null) blocks.push(<div key={at}>{block}</div>);
    at = next;
  }
  return blocks;
}

function toBlock(lines: readonly string[], at: number): { block: ReactNode; next: number } {
  const line = lines[at] ?? '';
  if (line.trim() === '') return { block: null, next: at + 1 };
  if (line.startsWith('```')) return toCode(lines, at);
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading !== null) {
    // The page has its own h1 and h2 above.
    const level = Math.min(6, (heading[1]?.length ?? 1) + 2);
    const Heading = `h${level}` as Tag;
    return { block: <Heading>{toInline(heading[2] ?? '')}</Heading>, next: at + 1 };
  }
  if (/^(-{3,}|\*{3,}|_{3,})\s*$/.test(line)) return { block: <hr />, next: at + 1 };
  if (/^\s*>/.test(line)) return toQuote(lines, at);
  if (/^\s*([-*+]|\d+[.)])\s+/.test(line)) return toList(lines, at);
  const end = findEnd(lines, at, (one) => one.trim() === '' || /^(#{1,6}\s|```|\s*>|\s*([-*+]|\d+[.)])\s)/.test(one));
  return { block: <p>{toInline(lines.slice(at, end).join(' '))}</p>, next: end };
}

/** The first line from the next on at which the block is over. */
function findEnd(lines: readonly string[], at: number, isOver: (line: string) => boolean): number {
  for (let end = at + 1; end < lines.length; end += 1) if (isOver(lines[end] ?? '')) return end;
  return lines.length;
}

function toCode(lines: readonly string[], at: number): { block: ReactNode; next: number } {
  const end = findEnd(lines, at, (line) => line.startsWith('```'));
  return {
    block: (
      <pre>
        <code>{lines.slice(at + 1, end).join('\n')}</code>
      </pre>
    ),
    next: end + 1,
  };
}

function toQuote(lines: readonly string[], at: number): { block: ReactNode; next: number } {
  const end = findEnd(lines, at, (line) => !/^\s*>/.test(line));
  const inner = lines.slice(at, end).map((line) => line.replace(/^\s*>\s?/, ''));
  return { block: <blockquote>{toInline(inner.join(' '))}</blockquote>, next: end };
}

function toList(lines: readonly string[], at: number): { block: ReactNode; next: number } {
  const end = findEnd(
    lines,
    at,
    (line) => line.trim() === '' || (!/^\s/.test(line) && !/^([-*+]|\d+[.)])\s/.test(line)),
  );
  const items = lines
    .slice(at, end)
    .filter((line) => /^\s*([-*+]|\d+[.)])\s+/.test(line))
    .map((line, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines stay in their order
      <li key={index}>{toInline(line.replace(/^\s*([-*+]|\d+[.)])\s+/, ''))}</li>
    ));
  const block = /^\s*\d/.test(lines[at] ?? '') ? <ol>{items}</ol> : <ul>{items}</ul>;
  return { block, next: end };
}

const inline = /(`[^`]+`)|(\*\*[^*]+\*\*|__[^_]+__)|(\*[^*\s][^*]*\*|\b_[^_]+_\b)|(\[[^\]]*\]\([^)\s]+\))/g;

function toInline(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(inline)) {
    if (match.index > at) parts.push(text.slice(at, match.index));
    parts.push(toSpan(match, match.index));
    at = match.index + match[0].length;
  }
  parts.push(text.slice(at));
  return parts;
}

function toSpan([all, code, strong, emphasis]: RegExpMatchArray, key: number): ReactNode {
  if (code !== undefined) return <code key={key}>{code.slice(1, -1)}</code>;
  if (strong !== undefined) return <strong key={key}>{strong.slice(2, -2)}</strong>;
  if (emphasis !== undefined) return <em key={key}>{emphasis.slice(1, -1)}</em>;
  const [, label = '', target = ''] = /^\[([^\]]*)\]\(([^)\s]+)\)$/.exec(all ?? '') ?? [];
  const url = URL.parse(target);
  if (url === null || !/^(https?|mailto):$/.test(url.protocol)) return label;
  return (
    <a key={key} href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {label}
    </a>
  );
}
