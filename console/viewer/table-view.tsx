// A table: only the cells on the screen are drawn, so that it responds however large it is. The first row is the head.

import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useViewerWords } from '../details/use-viewer-words.ts';
import { Skeleton } from '../parts/states.tsx';
import { formatPercent } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { countRows, indexTable, readRow, type TableIndex } from './table-index.ts';
import { type Columns, type ShownCells, toColumns, useWindow } from './table-window.ts';
import './table-view.css';

interface TableViewProps {
  text: string;
  name: string;
  /** What else stands above the table. */
  tools: ReactNode;
}

export function TableView({ text, name, tools }: TableViewProps) {
  const words = useWords();
  const viewer = useViewerWords();
  const { index, part } = useIndex(text);
  if (index === null)
    return <Skeleton label={part === 0 ? words.files.loading : viewer.reading(formatPercent(part, words.locale))} />;
  const rows = countRows(index);
  return (
    <div className="table-view">
      <div className="look-bar">
        <span>{index.isCut ? viewer.tablePart(rows, index.columns) : viewer.table(rows, index.columns)}</span>
        {tools}
      </div>
      <Cells index={index} name={name} />
    </div>
  );
}

interface Indexing {
  index: TableIndex | null;
  /** How much of it is done. */
  part: number;
}

function useIndex(text: string): Indexing {
  const [indexing, setIndexing] = useState<Indexing>({ index: null, part: 0 });
  useEffect(() => {
    let isWanted = true;
    const pause = async (part: number) => {
      if (!isWanted) throw new Error('another table is shown');
      setIndexing({ index: null, part });
      await new Promise((done) => setTimeout(done));
    };
    indexTable(text, { pause }).then(
      (index) => isWanted && setIndexing({ index, part: 1 }),
      () => undefined,
    );
    return () => {
      isWanted = false;
      setIndexing({ index: null, part: 0 });
    };
  }, [text]);
  return indexing;
}

/** Rows that were read lately. */
const maxKept = 400;

function useRows(index: TableIndex): (row: number) => readonly string[] {
  return useMemo(() => {
    const kept = new Map<number, readonly string[]>();
    return (row) => {
      const cells = kept.get(row) ?? readRow(index, row);
      if (kept.size >= maxKept) kept.clear();
      kept.set(row, cells);
      return cells;
    };
  }, [index]);
}

function Cells({ index, name }: { index: TableIndex; name: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const readCells = useRows(index);
  const columns = useMemo(() => toColumns(index), [index]);
  const rows = countRows(index);
  const shown = useWindow(scroller, rows, columns);
  const first = Math.max(1, shown.firstRow);
  const numbers = Array.from({ length: Math.max(0, shown.lastRow - first + 1) }, (_, at) => first + at);
  return (
    <div
      ref={scroller}
      className="table-scroller"
      role="table"
      aria-label={name}
      aria-rowcount={rows}
      aria-colcount={index.columns + 1}
      tabIndex={0}
      onScroll={shown.update}
    >
      <div role="rowgroup" style={{ inlineSize: columns.width, blockSize: rows * shown.rowHeight }}>
        {rows > 0 &&
          [0, ...numbers].map((row) => (
            <Row key={row} row={row} cells={readCells(row)} columns={columns} shown={shown} />
          ))}
      </div>
    </div>
  );
}

interface RowProps {
  row: number;
  cells: readonly string[];
  columns: Columns;
  shown: ShownCells;
}

function Row({ row, cells, columns, shown: { rowHeight, firstColumn, lastColumn } }: RowProps) {
  const viewer = useViewerWords();
  const isHead = row === 0;
  return (
    <div
      role="row"
      aria-rowindex={row + 1}
      className={isHead ? 'table-row table-head' : 'table-row'}
      style={{ inlineSize: columns.width, insetBlockStart: row * rowHeight }}
    >
      <span role={isHead ? 'columnheader' : 'rowheader'} aria-colindex={1} className="table-number">
        {isHead ? <span className="unseen">{viewer.row}</span> : row + 1}
      </span>
      {cells.slice(firstColumn, lastColumn + 1).map((cell, at) => {
        const column = firstColumn + at;
        const [start = 0, end = 0] = columns.starts.slice(column, column + 2);
        return (
          <span
            key={column}
            role={isHead ? 'columnheader' : 'cell'}
            aria-colindex={column + 2}
            className="table-cell"
            title={isClipped(cell, end - start) ? cell.slice(0, maxTitle) : undefined}
            style={{ insetInlineStart: start, inlineSize: end - start }}
          >
            {cell.slice(0, maxTitle)}
          </span>
        );
      })}
    </div>
  );
}

/** Of a cell, in characters. */
const maxTitle = 2_000;

/** Whether the text is probably wider than its cell; measuring each would take long. */
function isClipped(cell: string, width: number): boolean {
  return cell.includes('\n') || cell.length * 7 > width - 24;
}
