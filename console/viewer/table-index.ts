// CSV (RFC 4180) with comma, semicolon or tab. Where each row begins is found once, in slices, so that the page responds meanwhile; the
// cells of a row are read when they are shown. So a table takes hardly more memory than its text.

export interface TableIndex {
  text: string;
  separator: string;
  /** Where each row begins; one more for the end. */
  starts: readonly number[];
  columns: number;
  /** Whether there are more rows or columns than are shown. */
  isCut: boolean;
}

/** What browsers can lay out: a row has about 30 pixels, and an element at most 17 million. */
export const limits = { rows: 500_000, columns: 16_384 };
const sliceChars = 500_000;
const [quote, lineFeed] = [34, 10];

interface IndexOptions {
  limits?: typeof limits;
  /** Called after each slice with the part that is done; the next begins when it resolves. */
  pause?(part: number): Promise<void>;
}

export async function indexTable(text: string, options: IndexOptions = {}): Promise<TableIndex> {
  const { pause = async () => {}, limits: most = limits } = options;
  const separator = findSeparator(text);
  const scan = startScan(text, separator.charCodeAt(0), most);
  while (!scan.isDone) {
    scan.run(Math.min(text.length, scan.at + sliceChars));
    await pause(scan.at / Math.max(1, text.length));
  }
  return { text, separator, ...scan.end() };
}

function startScan(text: string, separator: number, most: typeof limits) {
  const starts = [0];
  let [at, cells, columns, closedAt] = [0, 1, 0, -1];
  let [isQuoted, isCellStart] = [false, true];
  const endRow = (next: number) => {
    columns = Math.max(columns, cells);
    cells = 1;
    starts.push(next);
  };
  return {
    get at() {
      return at;
    },
    get isDone() {
      return at >= text.length || starts.length > most.rows;
    },
    run(until: number) {
      for (; at < until && starts.length <= most.rows; at += 1) {
        const code = text.charCodeAt(at);
        if (code === quote) {
          // A doubled quote ends the quoted part and begins it again.
          const begins = !isQuoted && (isCellStart || closedAt === at - 1);
          if (isQuoted) closedAt = at;
          isQuoted = begins;
        } else if (!isQuoted && code === separator) cells += 1;
        else if (!isQuoted && code === lineFeed) endRow(at + 1);
        isCellStart = !isQuoted && (code === separator || code === lineFeed);
      }
    },
    end() {
      const isWhole = at >= text.length;
      if (isWhole && starts.at(-1) !== text.length) endRow(text.length);
      const isCut = !isWhole || columns > most.columns;
      return { starts, columns: Math.min(most.columns, columns), isCut };
    },
  };
}

export function countRows({ starts }: TableIndex): number {
  return starts.length - 1;
}

/** The cells of a row, at most as many as there are columns. */
export function readRow({ text, separator, starts, columns }: TableIndex, row: number): string[] {
  const line = text.slice(starts[row] ?? 0, starts[row + 1] ?? 0).replace(/\r?\n$/, '');
  if (!line.includes('"')) return line.split(separator, columns);
  const cells: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < line.length && cells.length < columns; at += 1) {
    const one = line[at];
    if (isQuoted) {
      if (one === '"' && line[at + 1] === '"') at += 1;
      else if (one === '"') isQuoted = false;
      if (one !== '"' || isQuoted) cell += one;
    } else if (one === '"' && cell === '') isQuoted = true;
    else if (one === separator) {
      cells.push(cell);
      cell = '';
    } else cell += one;
  }
  if (cells.length < columns) cells.push(cell);
  return cells;
}

/** The one that the first line has most of. */
function findSeparator(text: string): string {
  const line = text.slice(0, 20_000).split('\n', 1)[0] ?? '';
  const counts = [',', ';', '\t'].map((one) => ({ one, count: line.split(one).length }));
  return counts.reduce((best, other) => (other.count > best.count ? other : best)).one;
}
