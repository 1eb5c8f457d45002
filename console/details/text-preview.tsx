// Previews of text, code, Markdown and tables. Nothing in a file becomes HTML by itself.

import { lazy, Suspense, useMemo, useState } from 'react';
import type { Kind } from '../files/kind.ts';
import { Button } from '../parts/button.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { Fallback } from '../shell/fallback.tsx';
import { formatSize } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { maxTextBytes, useText } from './content.ts';
import type { PreviewProps } from './preview-props.ts';
import { parseTable } from './table.ts';
import { splitTokens } from './tokens.ts';

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));
/** Rendering takes ten seconds for a megabyte of prose, more for tables, during which the page does not respond. */
const maxMarkdownBytes = 128 * 1024;
const maxLines = 5_000;
const maxRows = 1_000;

export function TextPreview({ entry, version, kind }: PreviewProps & { kind: Kind }) {
  const words = useWords();
  const [isSource, setSource] = useState(false);
  const { data: text, error, refetch } = useText(entry, version);
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (text === undefined) return <Skeleton label={words.files.loading} />;
  const isShown = (kind === 'markdown' || kind === 'table') && !isSource;
  const maxBytes = isShown && kind === 'markdown' ? maxMarkdownBytes : maxTextBytes;
  const isCut = entry.Size > maxBytes;
  return (
    <>
      {(isCut || kind === 'markdown' || kind === 'table') && (
        <div className="look-bar">
          <span>{isCut ? words.look.cut(formatSize(maxBytes, words.locale)) : ''}</span>
          {(kind === 'markdown' || kind === 'table') && (
            <Button look="quiet" onPress={() => setSource(!isSource)}>
              {isSource ? words.look.shown : words.look.source}
            </Button>
          )}
        </div>
      )}
      {isShown && kind === 'markdown' && (
        // Quotes or lists that are nested a thousand levels deep overflow the stack: their source is shown.
        <Fallback key={entry.Id} instead={<Lines text={text} isCode={false} />}>
          <Suspense fallback={<Skeleton label={words.files.loading} />}>
            <Markdown text={text.slice(0, maxMarkdownBytes)} />
          </Suspense>
        </Fallback>
      )}
      {isShown && kind === 'table' && <Table text={text} name={entry.Name} />}
      {!isShown && <Lines text={text} isCode={kind === 'code'} />}
    </>
  );
}

export function Lines({ text, isCode }: { text: string; isCode: boolean }) {
  const lines = useMemo(() => text.split(/\r?\n/).slice(0, maxLines), [text]);
  return (
    <pre className={isCode ? 'look-code' : 'look-code look-wrap'}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name than its number
        <span key={index}>{isCode ? <Coloured line={line} /> : line}</span>
      ))}
    </pre>
  );
}

function Coloured({ line }: { line: string }) {
  return splitTokens(line).map(({ text, kind }, index) =>
    kind === null ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one line stay in their order
      <span key={index} className={`tok-${kind}`}>
        {text}
      </span>
    ),
  );
}

function Table({ text, name }: { text: string; name: string }) {
  const words = useWords();
  const [head = [], ...rows] = useMemo(() => parseTable(text, maxRows), [text]);
  return (
    <table className="look-table" aria-label={name}>
      <caption className="unseen">{words.look.rows(rows.length)}</caption>
      <thead>
        <tr>
          {head.map((cell, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in their order
            <th key={index} scope="col">
              {cell}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows stay in their order
          <tr key={index}>
            {row.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns stay in their order
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
