// The buttons that zoom.

import { Button, IconButton } from '../parts/button.tsx';
import { formatPercent } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { useViewerWords } from './use-viewer-words.ts';

interface ZoomToolsProps {
  zoom: number;
  onIn(): void;
  onOut(): void;
  onFit(): void;
}

export function ZoomTools({ zoom, onIn, onOut, onFit }: ZoomToolsProps) {
  const { locale } = useWords();
  const viewer = useViewerWords();
  const percent = formatPercent(zoom, locale);
  return (
    <>
      <IconButton icon="minus" label={viewer.zoomOut} onPress={onOut} />
      <Button look="quiet" aria-label={`${viewer.fit}: ${percent}`} onPress={onFit}>
        <span className="viewer-zoom">{percent}</span>
      </Button>
      <IconButton icon="plus" label={viewer.zoomIn} onPress={onIn} />
    </>
  );
}
