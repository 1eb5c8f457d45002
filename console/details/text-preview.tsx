// Previews of text, code, Markdown and tables. Nothing in a file becomes HTML by itself.

import type { Entry } from '@cabinet/client';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Kind } from '../files/kind.ts';
import { Button } from '../parts/button.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { Fallback } from '../shell/fallback.tsx';
import { formatSize } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { maxTextBytes, useText } from './content.ts';
import { Lines } from './lines.tsx';
import { NoPreview } from './no-preview.tsx';
import type { PreviewProps } from './preview-props.ts';

const CodeLines = lazy(async () => ({ default: (await import('./code-lines.tsx')).CodeLines }));
const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));
const TableView = lazy(async () => ({ default: (await import('../viewer/table-view.tsx')).TableView }));
/** Rendering takes ten seconds for a megabyte of prose, more for tables, during which the page does not respond. */
const maxMarkdownBytes = 128 * 1024;
/** Only its visible cells are rendered. */
const maxTableBytes = 16 * 1024 * 1024;

export function TextPreview({ entry, version, kind }: PreviewProps & { kind: Kind }) {
  const words = useWords();
  const [isSource, setSource] = useState(false);
  const hasShape = kind === 'markdown' || kind === 'table';
  const isShown = hasShape && !isSource;
  const { data: text, error, refetch } = useText(entry, version, kind === 'table' ? maxTableBytes : maxTextBytes);
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (text === undefined) return <Skeleton label={words.files.loading} />;
  // Bytes, whatever the name says.
  if (text.slice(0, 1_000).includes('\0')) return <NoPreview entry={entry} text={words.look.none} />;
  const maxBytes = isShown ? (kind === 'table' ? maxTableBytes : maxMarkdownBytes) : maxTextBytes;
  const cut = entry.Size > maxBytes && <span>{words.look.cut(formatSize(maxBytes, words.locale))}</span>;
  const toggle = hasShape && (
    <Button look="quiet" onPress={() => setSource(!isSource)}>
      {isSource ? words.look.shown : words.look.source}
    </Button>
  );
  const tools = (
    <>
      {cut}
      <span className="look-bar-space" />
      {toggle}
    </>
  );
  const isTable = isShown && kind === 'table';
  return (
    <>
      {!isTable && (cut || toggle) && <div className="look-bar">{tools}</div>}
      <Suspense fallback={<Skeleton label={words.files.loading} />}>
        {isTable ? (
          <TableView text={text} name={entry.Name} tools={tools} />
        ) : (
          <Content entry={entry} kind={isShown || kind === 'code' ? kind : 'text'} text={text} />
        )}
      </Suspense>
    </>
  );
}

function Content({ entry, kind, text }: { entry: Entry; kind: Kind; text: string }): ReactNode {
  const source = <Lines text={text.slice(0, maxTextBytes)} isCode={false} />;
  if (kind === 'code') return <CodeLines text={text} entry={entry} />;
  if (kind !== 'markdown') return source;
  return (
    // Quotes or lists that are nested a thousand levels deep overflow the stack: their source is shown.
    <Fallback key={entry.Id} instead={source}>
      <Markdown text={text.slice(0, maxMarkdownBytes)} />
    </Fallback>
  );
}
