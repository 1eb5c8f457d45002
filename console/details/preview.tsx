// A look into a file. Nothing of it is ever run: pictures are pictures, also SVG; HTML is shown as its source; text becomes
// text nodes; PDFs are given to the browser's own viewer under the type PDF, whatever they contain.

import { type Entry, readFile } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { downloadEntry } from '../files/download.ts';
import { iconOf, kindOf } from '../files/kind.ts';
import { Button } from '../parts/button.tsx';
import { showError } from '../parts/error-text.ts';
import { useObjectUrl } from '../parts/object-url.ts';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatSize } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { useLink } from './content.ts';
import type { PreviewProps } from './preview-props.ts';
import './preview.css';

const TextPreview = lazy(async () => ({ default: (await import('./text-preview.tsx')).TextPreview }));
const maxPdfBytes = 64_000_000;

export function Preview({ entry, version }: PreviewProps) {
  const words = useWords();
  const kind = kindOf(entry);
  if (entry.Size === 0) return <Nothing entry={entry} text={words.look.empty} />;
  if (kind === 'picture' || kind === 'sound' || kind === 'film') return <Linked entry={entry} version={version} />;
  if (kind === 'pdf') return <Pdf entry={entry} version={version} />;
  if (kind === 'other' || kind === 'folder') return <Nothing entry={entry} text={words.look.none} />;
  return (
    <Suspense fallback={<Skeleton label={words.files.loading} />}>
      <TextPreview entry={entry} version={version} kind={kind} />
    </Suspense>
  );
}

function Linked({ entry, version }: PreviewProps) {
  const words = useWords();
  const [isBroken, setBroken] = useState(false);
  const { data: url, error, refetch } = useLink(entry, version);
  const fail = () => setBroken(true);
  if (isBroken) return <Nothing entry={entry} text={words.look.notShown} />;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (url === undefined) return <Skeleton label={words.files.loading} />;
  const kind = kindOf(entry);
  if (kind === 'picture') return <Picture url={url} label={words.look.picture(entry.Name)} onError={fail} />;
  if (kind === 'sound') {
    // biome-ignore lint/a11y/useMediaCaption: what people store has no captions beside it
    return <audio className="look-sound" controls src={url} aria-label={words.look.sound(entry.Name)} onError={fail} />;
  }
  // biome-ignore lint/a11y/useMediaCaption: the same
  return <video className="look-film" controls src={url} aria-label={words.look.film(entry.Name)} onError={fail} />;
}

function Picture({ url, label, onError }: { url: string; label: string; onError(): void }) {
  return (
    <div className="look-picture">
      <img src={url} alt={label} onError={onError} />
    </div>
  );
}

function Pdf({ entry, version }: PreviewProps) {
  const words = useWords();
  const { cabinet } = useSession();
  const isSmall = entry.Size <= maxPdfBytes;
  const { data, error, refetch } = useQuery({
    queryKey: ['pdf', entry.Id, version],
    enabled: isSmall,
    gcTime: 60_000,
    queryFn: async ({ signal }) => {
      const bytes = await readFile(cabinet, entry.Id, { version, signal });
      return new Blob([bytes], { type: 'application/pdf' });
    },
  });
  const url = useObjectUrl(data);
  if (!isSmall) return <Nothing entry={entry} text={words.look.tooLarge(formatSize(entry.Size, words.locale))} />;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (url === null) return <Skeleton label={words.files.loading} />;
  return <iframe className="look-pdf" src={url} title={words.look.document(entry.Name)} />;
}

function Nothing({ entry, text }: { entry: Entry; text: string }): ReactNode {
  const words = useWords();
  const { cabinet } = useSession();
  const download = () => void downloadEntry(cabinet, entry).catch((error) => showError(error, words));
  return (
    <Empty icon={iconOf(entry)} title={formatSize(entry.Size, words.locale)}>
      <p>{text}</p>
      <Button icon="download" onPress={download}>
        {words.files.download}
      </Button>
    </Empty>
  );
}
