// A picture in full: fitted to the window or zoomed, by buttons, keys, wheel, double click and two fingers; rotated in quarter turns.
// Rotating changes only how it is shown.

import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useViewerWords } from '../details/use-viewer-words.ts';
import { nextZoom } from '../details/zoom.ts';
import { ZoomTools } from '../details/zoom-tools.tsx';
import { IconButton } from '../parts/button.tsx';
import { useViewerKeys } from './gestures.ts';
import { type Point, useDragging, usePinch } from './panning.ts';

interface ImageViewProps {
  url: string;
  label: string;
  onError(): void;
}

interface Size {
  width: number;
  height: number;
}

export function ImageView({ url, label, onError }: ImageViewProps) {
  const viewer = useViewerWords();
  const scroller = useRef<HTMLElement>(null);
  const window = useInnerSize(scroller);
  const [natural, setNatural] = useState<Size | null>(null);
  const [turns, setTurns] = useState(0);
  const [zoom, setZoom] = useState<number | null>(null);
  const isOnSide = turns % 2 === 1;
  const turned = natural === null ? null : isOnSide ? { width: natural.height, height: natural.width } : natural;
  const fitted = turned === null || window === null ? 1 : fit(turned, window);
  const scale = zoom ?? fitted;
  const range = { min: Math.min(0.1, fitted), max: Math.max(8, fitted) };
  const keepPoint = useKeptPoint(scroller, scale);
  const zoomTo = (next: number | null, point?: Point) => {
    keepPoint(point);
    setZoom(next === null ? null : Math.min(range.max, Math.max(range.min, next)));
  };
  const [zoomIn, zoomOut] = ([1, -1] as const).map((by) => () => zoomTo(nextZoom(scale, by, range))) as [Act, Act];
  const showWhole = () => zoomTo(null);
  const rotate = () => setTurns(turns + 1);
  useViewerKeys({ '+': zoomIn, '=': zoomIn, '-': zoomOut, 0: showWhole, r: rotate });
  useDragging(scroller);
  usePinch(scroller, (by, point) => zoomTo(scale * by, point));
  return (
    <div className="image-view">
      <div className="viewer-tools" role="toolbar" aria-label={viewer.tools}>
        <ZoomTools zoom={scale} onIn={zoomIn} onOut={zoomOut} onFit={showWhole} />
        <IconButton icon="rotate" label={viewer.rotate} onPress={rotate} />
      </div>
      <section
        ref={scroller}
        className="image-scroller"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it
        tabIndex={0}
        onDoubleClick={({ clientX: x, clientY: y }) => zoomTo(zoom === null ? Math.max(1, fitted * 2) : null, { x, y })}
      >
        <div className="image-place" style={turned === null ? {} : toStyle(turned, scale)}>
          <img
            src={url}
            alt={label}
            draggable={false}
            style={natural === null ? {} : { ...toStyle(natural, scale), rotate: `${turns * 90}deg` }}
            onError={onError}
            onLoad={({ currentTarget }) => setNatural(readSize(currentTarget))}
          />
        </div>
      </section>
    </div>
  );
}

type Act = () => void;

function toStyle({ width, height }: Size, scale: number) {
  return { width: Math.max(1, width * scale), height: Math.max(1, height * scale) };
}

/** Nothing is enlarged to fit. */
function fit(picture: Size, window: Size): number {
  return Math.min(1, window.width / picture.width, window.height / picture.height);
}

/** An SVG without a size gets one. */
function readSize({ naturalWidth, naturalHeight }: HTMLImageElement): Size {
  return naturalWidth > 0 && naturalHeight > 0
    ? { width: naturalWidth, height: naturalHeight }
    : { width: 512, height: 512 };
}

function useInnerSize(scroller: React.RefObject<HTMLElement | null>): Size | null {
  const [size, setSize] = useState<Size | null>(null);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    // Not `clientWidth`: scrollbars come and go with the zoom.
    const watch = new ResizeObserver(() => setSize({ width: element.offsetWidth, height: element.offsetHeight }));
    watch.observe(element);
    return () => watch.disconnect();
  }, [scroller]);
  return size;
}

/** While the scale changes, a point of the picture stays where it is: that under the pointer, or the middle. */
function useKeptPoint(scroller: React.RefObject<HTMLElement | null>, scale: number): (point?: Point) => void {
  const kept = useRef<{ part: Point; at: Point } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each time the scale has changed
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || kept.current === null) return;
    const { part, at } = kept.current;
    element.scrollLeft = part.x * element.scrollWidth - at.x;
    element.scrollTop = part.y * element.scrollHeight - at.y;
    kept.current = null;
  }, [scale]);
  return (point) => {
    const element = scroller.current;
    if (element === null) return;
    const { left, top } = element.getBoundingClientRect();
    const middle = { x: element.clientWidth / 2, y: element.clientHeight / 2 };
    const at = point === undefined ? middle : { x: point.x - left, y: point.y - top };
    kept.current = {
      part: {
        x: (element.scrollLeft + at.x) / element.scrollWidth,
        y: (element.scrollTop + at.y) / element.scrollHeight,
      },
      at,
    };
  };
}
