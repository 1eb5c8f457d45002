// A line diff of two texts: the longest common subsequence between the equal beginning and end. Beyond a size limit everything in
// between counts as changed.

interface ComparedLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

const maxCells = 4_000_000;

export function compareLines(older: string, newer: string): ComparedLine[] {
  const a = older.split(/\r?\n/);
  const b = newer.split(/\r?\n/);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (text: string): ComparedLine => ({ kind: 'same', text });
  return [
    ...a.slice(0, start).map(same),
    ...compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

function compareMiddle(a: readonly string[], b: readonly string[]): ComparedLine[] {
  const removed = (text: string): ComparedLine => ({ kind: 'removed', text });
  const added = (text: string): ComparedLine => ({ kind: 'added', text });
  if (a.length * b.length > maxCells) return [...a.map(removed), ...b.map(added)];
  const lengths = toLengths(a, b);
  const width = b.length + 1;
  const lines: ComparedLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [one, other] = [a[i] ?? '', b[j] ?? ''];
    if (one === other) {
      lines.push({ kind: 'same', text: one });
      i += 1;
      j += 1;
    } else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) {
      lines.push(removed(one));
      i += 1;
    } else {
      lines.push(added(other));
      j += 1;
    }
  }
  return [...lines, ...a.slice(i).map(removed), ...b.slice(j).map(added)];
}

/** How much of the rests has in common, from each pair of lines on. */
function toLengths(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      lengths[at] =
        a[i] === b[j] ? (lengths[at + width + 1] ?? 0) + 1 : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0);
    }
  }
  return lengths;
}
