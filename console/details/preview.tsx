// The content of a file. Nothing of it is ever run: pictures are pictures, also SVG; HTML is shown as its source; text becomes text
// nodes; the pages of a PDF are drawn.

import { lazy, Suspense, useState } from 'react';
import { kindOf } from '../files/kind.ts';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { useLink } from './content.ts';
import { NoPreview } from './no-preview.tsx';
import type { PreviewProps } from './preview-props.ts';
import './preview.css';

const ImageView = lazy(async () => ({ default: (await import('../viewer/image-view.tsx')).ImageView }));
const TextPreview = lazy(async () => ({ default: (await import('./text-preview.tsx')).TextPreview }));
const OfficeView = lazy(async () => ({ default: (await import('../office/office-view.tsx')).OfficeView }));
const PdfView = lazy(async () => ({ default: (await import('../pdf/pdf-view.tsx')).PdfView }));

export function Preview(props: PreviewProps) {
  const words = useWords();
  const { entry } = props;
  const kind = kindOf(entry);
  if (entry.Size === 0) return <NoPreview entry={entry} text={words.look.empty} />;
  if (kind === 'other' || kind === 'folder') return <NoPreview entry={entry} text={words.look.none} />;
  return (
    <Suspense fallback={<Skeleton label={words.files.loading} />}>
      {(kind === 'picture' || kind === 'sound' || kind === 'film') && <Linked {...props} />}
      {kind === 'office' && <OfficeView {...props} />}
      {kind === 'pdf' && <PdfView {...props} />}
      {(kind === 'text' || kind === 'code' || kind === 'markdown' || kind === 'table') && (
        <TextPreview {...props} kind={kind} />
      )}
    </Suspense>
  );
}

function Linked({ entry, version, isFull }: PreviewProps) {
  const words = useWords();
  const [isBroken, setBroken] = useState(false);
  const { data: url, error, refetch } = useLink(entry, version);
  const fail = () => setBroken(true);
  if (isBroken) return <NoPreview entry={entry} text={words.look.notShown} />;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (url === undefined) return <Skeleton label={words.files.loading} />;
  const kind = kindOf(entry);
  if (kind === 'picture') {
    const props = { url, label: words.look.picture(entry.Name), onError: fail };
    return isFull ? <ImageView {...props} /> : <Picture {...props} />;
  }
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
