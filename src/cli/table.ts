// Columns of text that line up on a terminal.

import { toPrintable } from './output.ts';

/** `right` lists the columns that are aligned right. The last column is not padded. `head`: shown above them on a terminal only, so that
 *  programs read nothing but rows. */
export function toTable(
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
  head: readonly string[] = [],
): string[] {
  const hasHead = process.stdout.isTTY === true && head.length > 0 && rows.length > 0;
  const shown = [...(hasHead ? [head] : []), ...rows].map((row) => row.map(toPrintable));
  const widths = (shown[0] ?? []).map((_, column) => Math.max(...shown.map((row) => (row[column] ?? '').length)));
  return shown.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        if (right.includes(column)) return cell.padStart(width);
        return column === row.length - 1 ? cell : cell.padEnd(width);
      })
      .join('  '),
  );
}

/** Of operators: columns that line up below their heads on a terminal; elsewhere rows with tabs between their cells, for programs. */
export function toOperatorTable(rows: readonly (readonly string[])[], head: readonly string[]): string[] {
  return process.stdout.isTTY ? toTable(rows, [], head) : rows.map((row) => row.map(toPrintable).join('\t'));
}

/** `2026-01-15 09:30`, in local time. */
export function toLocalTime(iso: string): string {
  const at = new Date(iso);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
