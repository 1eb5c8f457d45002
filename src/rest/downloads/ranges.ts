// Parses the header `Range` (RFC 9110, section 14). A header that is not understood is ignored, as the standard demands, and
// the whole file is sent.

/** From `start` up to but not including `end`. */
export interface Range {
  start: number;
  end: number;
}

/** A request for more ranges than this is an attack. */
const maxRanges = 32;

/** Null: the whole file. Empty: no range is within the file. */
export function readRanges(header: string | null, sizeBytes: number): Range[] | null {
  const [, list] = /^bytes\s*=\s*(.+)$/i.exec(header ?? '') ?? [];
  if (list === undefined) return null;
  const specs = list.split(',').map((spec) => spec.trim());
  if (specs.length > maxRanges || specs.every((spec) => spec === '')) return null;
  const ranges: Range[] = [];
  for (const spec of specs) {
    if (spec === '') continue;
    const range = readRange(spec, sizeBytes);
    if (range === null) return null;
    if (range.start < range.end) ranges.push(range);
  }
  const total = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  // Overlapping ranges would be sent more than once.
  return ranges.length > 1 && total > sizeBytes ? null : ranges;
}

/** Null: not a range. A range that starts after the end of the file is empty. */
function readRange(spec: string, sizeBytes: number): Range | null {
  const [, first, last] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return null;
  if (first === '') return { start: Math.max(0, sizeBytes - Number(last)), end: sizeBytes };
  if (last !== '' && Number(last) < Number(first)) return null;
  const end = last === '' ? sizeBytes : Math.min(sizeBytes, Number(last) + 1);
  return { start: Math.min(Number(first), end), end };
}

export function toContentRange({ start, end }: Range, sizeBytes: number): string {
  return `bytes ${start}-${end - 1}/${sizeBytes}`;
}
