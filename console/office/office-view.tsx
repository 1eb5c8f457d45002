// An office document: as the PDF that the server makes of it, where it has a converter, or else its text, and that it is only that.

import { hasCode, readFile, readPreview } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { NoPreview } from '../details/no-preview.tsx';
import type { PreviewProps } from '../details/preview-props.ts';
import { useViewerWords } from '../details/use-viewer-words.ts';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { PdfContent } from '../pdf/pdf-view.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatSize } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { extractOffice, maxTextChars } from './office-text.ts';

/** The browser holds all of it in memory. */
const maxBytes = 32_000_000;
const maxParagraphs = 5_000;

export function OfficeView(props: PreviewProps) {
  const { entry, version, isFull = false } = props;
  const words = useWords();
  const viewer = useViewerWords();
  const { cabinet } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['preview', entry.Id, version],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    queryFn: async ({ signal }) => {
      try {
        return await readPreview(cabinet, entry.Id, { version, signal });
      } catch (error) {
        if (hasCode(error, 'NoPreview')) return null;
        throw error;
      }
    },
  });
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === null) return <OfficeText {...props} />;
  if (data === undefined) return <Skeleton label={words.files.loading} />;
  return (
    <>
      <p className="look-bar">{viewer.converted}</p>
      <PdfContent entry={entry} isFull={isFull} content={data} />
    </>
  );
}

function OfficeText({ entry, version }: PreviewProps) {
  const words = useWords();
  const viewer = useViewerWords();
  const { cabinet } = useSession();
  const isSmall = entry.Size <= maxBytes;
  const { data, error, refetch } = useQuery({
    queryKey: ['office', entry.Id, version],
    enabled: isSmall,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    queryFn: async ({ signal }) => {
      const bytes = await readFile(cabinet, entry.Id, { version, signal });
      // A document that cannot be read is nothing that trying again would mend.
      return await extractOffice(bytes).catch(() => null);
    },
  });
  if (!isSmall) return <NoPreview entry={entry} text={words.look.tooLarge(formatSize(entry.Size, words.locale))} />;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton label={words.files.loading} />;
  if (data === null || data.text === '') return <NoPreview entry={entry} text={words.look.none} />;
  const paragraphs = data.text.split('\n');
  const isCut = data.isCut || paragraphs.length > maxParagraphs;
  return (
    <>
      <p className="look-bar">
        {viewer.extracted} {isCut && words.look.cut(formatSize(maxTextChars, words.locale))}
      </p>
      <div className="look-markdown look-office">
        {paragraphs.slice(0, maxParagraphs).map((text, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs stay in their order
          <p key={index}>{text}</p>
        ))}
      </div>
    </>
  );
}
