// Which cells of a table are on the screen.

import { useCallback, useEffect, useState } from 'react';
import { countRows, readRow, type TableIndex } from './table-index.ts';

export interface Columns {
  /** Where each begins, in pixels; one more for the end of the last. */
  starts: readonly number[];
  width: number;
}

/** Of the column with the numbers of rows. */
const numbersWidth = 64;
const [minWidth, maxWidth, widthPerChar, padding] = [64, 320, 7.6, 26];
/** Their texts decide how wide the columns are. */
const sampledRows = 60;

export function toColumns(index: TableIndex): Columns {
  const longest = new Array<number>(index.columns).fill(0);
  for (let row = 0; row < Math.min(sampledRows, countRows(index)); row += 1) {
    for (const [column, cell] of readRow(index, row).entries()) {
      // The head is bold.
      const chars = row === 0 ? cell.length * 1.15 : cell.length;
      longest[column] = Math.max(longest[column] ?? 0, chars);
    }
  }
  const starts = [numbersWidth];
  for (const chars of longest) {
    const width = Math.min(maxWidth, Math.max(minWidth, Math.ceil(chars * widthPerChar) + padding));
    starts.push((starts.at(-1) ?? 0) + width);
  }
  return { starts, width: starts.at(-1) ?? 0 };
}

export interface ShownCells {
  rowHeight: number;
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
  /** After scrolling. */
  update(): void;
}

const rowHeight = 30;
/** Drawn beyond the screen. */
const beyond = { rows: 8, pixels: 300 };

export function useWindow(
  scroller: React.RefObject<HTMLElement | null>,
  rows: number,
  { starts }: Columns,
): ShownCells {
  const [{ top, left, height, width }, setPlace] = useState({ top: 0, left: 0, height: 0, width: 0 });
  const update = useCallback(() => {
    const element = scroller.current;
    if (element === null) return;
    const { scrollTop, scrollLeft, clientHeight, clientWidth } = element;
    // Where one reads from right to left, it is negative.
    setPlace({ top: scrollTop, left: Math.abs(scrollLeft), height: clientHeight, width: clientWidth });
  }, [scroller]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const watch = new ResizeObserver(update);
    watch.observe(element);
    return () => watch.disconnect();
  }, [scroller, update]);
  const lastColumn = starts.length - 2;
  return {
    rowHeight,
    firstRow: Math.max(0, Math.floor(top / rowHeight) - beyond.rows),
    lastRow: Math.min(rows - 1, Math.ceil((top + height) / rowHeight) + beyond.rows),
    firstColumn: Math.max(0, findColumn(starts, left - beyond.pixels)),
    lastColumn: Math.min(lastColumn, findColumn(starts, left + width + beyond.pixels)),
    update,
  };
}

/** The last column that begins at or before the place. */
function findColumn(starts: readonly number[], place: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}
