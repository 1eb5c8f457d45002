// The tools above a PDF shown in full: zoom, the page, and search.

import { useViewerWords } from '../details/use-viewer-words.ts';
import { nextZoom } from '../details/zoom.ts';
import { ZoomTools } from '../details/zoom-tools.tsx';
import { IconButton } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import type { PdfSearch } from './search.ts';

interface PdfToolsProps {
  zoom: number;
  setZoom(zoom: number): void;
  /** Which page is shown, in words. */
  page: string;
  wanted: string;
  setWanted(text: string): void;
  search: PdfSearch;
  /** Which match is the current one. */
  chosen: number;
  setChosen(index: number): void;
}

const range = { min: 0.25, max: 5 };

export function PdfTools({ zoom, setZoom, page, ...finding }: PdfToolsProps) {
  const viewer = useViewerWords();
  const { wanted, setWanted, search, chosen, setChosen } = finding;
  const { length } = search.matches;
  const step = (by: number) => length > 0 && setChosen((chosen + by + length) % length);
  return (
    <div className="viewer-tools" role="toolbar" aria-label={viewer.tools}>
      <ZoomTools
        zoom={zoom}
        onIn={() => setZoom(nextZoom(zoom, 1, range))}
        onOut={() => setZoom(nextZoom(zoom, -1, range))}
        onFit={() => setZoom(1)}
      />
      <span className="viewer-place">{page}</span>
      <div className="pdf-find">
        <Field
          label={viewer.find}
          isLabelUnseen
          placeholder={viewer.find}
          type="search"
          value={wanted}
          onChange={setWanted}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
            else if (event.key === 'Escape' && wanted !== '') setWanted('');
            else event.continuePropagation();
          }}
        />
        <span className="viewer-place" role="status">
          {wanted.trim() !== '' && <Count search={search} chosen={chosen} />}
        </span>
        <IconButton icon="up" label={viewer.previousMatch} isDisabled={length === 0} onPress={() => step(-1)} />
        <IconButton icon="down" label={viewer.nextMatch} isDisabled={length === 0} onPress={() => step(1)} />
      </div>
    </div>
  );
}

function Count({ search: { matches, isWhole }, chosen }: Pick<PdfToolsProps, 'search' | 'chosen'>) {
  const viewer = useViewerWords();
  if (matches.length > 0) return viewer.found(chosen + 1, matches.length, !isWhole);
  return isWhole ? viewer.notFound : viewer.searching;
}
