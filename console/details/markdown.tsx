// Previews of Markdown, with GitHub's tables, task lists and strikethrough. HTML in it stays text, images stay their description, and
// links lead to http, https and mail only, in a new tab without an opener.

import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';

const plugins = [remarkGfm];

const components: Components = {
  a: ({ href, children }) => <SafeLink href={href ?? ''}>{children}</SafeLink>,
  // Loading it would tell another server who looks at the file.
  img: ({ alt }) => alt,
  // A task in a list: it cannot be changed here.
  input: ({ checked }) => (checked === true ? '☑' : '☐'),
  table: ({ children }) => (
    <div className="look-markdown-table">
      <table>{children}</table>
    </div>
  ),
};

/** The headings of a text stand below those of its page. */
const headings = {
  h1: { h1: 'h2', h2: 'h3', h3: 'h4', h4: 'h5', h5: 'h6' },
  h2: { h1: 'h3', h2: 'h4', h3: 'h5', h4: 'h6', h5: 'h6' },
} as const;

/** `below`: the lowest heading of the page above it. */
export function Markdown({ text, below = 'h2' }: { text: string; below?: 'h1' | 'h2' }) {
  return (
    <div className="look-markdown">
      <ReactMarkdown remarkPlugins={plugins} components={{ ...components, ...headings[below] }}>
        {text}
      </ReactMarkdown>
    </div>
  );
}

function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  const url = URL.parse(href);
  if (url === null || !/^(https?|mailto):$/.test(url.protocol)) return children;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
