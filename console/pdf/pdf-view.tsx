// A PDF: its pages one below the other, in the details pane and in full; there with zoom and search. Nothing in it runs: it is drawn.

import { type Entry, readFile } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { NoPreview } from '../details/no-preview.tsx';
import type { PreviewProps } from '../details/preview-props.ts';
import { useViewerWords } from '../details/use-viewer-words.ts';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatSize } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { openDocument, type PDFDocumentProxy } from './document.ts';
import { PdfPages } from './pdf-pages.tsx';
import './pdf.css';

/** The browser holds all of it in memory. */
const maxBytes = 64_000_000;

export function PdfView({ entry, version, isFull }: PreviewProps) {
  const words = useWords();
  const { cabinet } = useSession();
  const isSmall = entry.Size <= maxBytes;
  const { data, error, refetch } = useQuery({
    queryKey: ['pdf', entry.Id, version],
    enabled: isSmall,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    queryFn: async ({ signal }) => new Blob([await readFile(cabinet, entry.Id, { version, signal })]),
  });
  if (!isSmall) return <NoPreview entry={entry} text={words.look.tooLarge(formatSize(entry.Size, words.locale))} />;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return <PdfContent entry={entry} isFull={isFull ?? false} content={data} />;
}

/** What became of the bytes. */
type Opened = { document: PDFDocumentProxy; ratio: number } | 'locked' | 'broken' | null;

interface PdfContentProps {
  entry: Entry;
  isFull: boolean;
  /** Undefined: it is being loaded. */
  content: Blob | undefined;
}

export function PdfContent({ entry, isFull, content }: PdfContentProps) {
  const words = useWords();
  const viewer = useViewerWords();
  const opened = useOpened(content);
  if (opened === 'broken') return <NoPreview entry={entry} text={words.look.notShown} />;
  if (opened === 'locked') return <NoPreview entry={entry} text={viewer.locked} />;
  if (opened === null) return <Skeleton label={words.files.loading} />;
  return <PdfPages {...opened} name={entry.Name} isFull={isFull} />;
}

function useOpened(data: Blob | undefined): Opened {
  const [opened, setOpened] = useState<Opened>(null);
  useEffect(() => {
    if (data === undefined) return;
    let isWanted = true;
    let close = () => {};
    const open = async () => {
      const document = await openDocument(new Uint8Array(await data.arrayBuffer()));
      close = () => void document.loadingTask.destroy();
      if (!isWanted) return close();
      const { width, height } = (await document.getPage(1)).getViewport({ scale: 1 });
      if (isWanted) setOpened({ document, ratio: height / width });
    };
    open().catch((error: unknown) => {
      const isLocked = error instanceof Error && error.name === 'PasswordException';
      if (isWanted) setOpened(isLocked ? 'locked' : 'broken');
    });
    return () => {
      isWanted = false;
      setOpened(null);
      close();
    };
  }, [data]);
  return opened;
}
