// Parses CSV (RFC 4180) with comma, semicolon or tab.

export function parseTable(text: string, maxRows: number): string[][] {
  const separator = findSeparator(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length && rows.length < maxRows; at += 1) {
    const one = text[at];
    if (isQuoted) {
      if (one === '"' && text[at + 1] === '"') at += 1;
      else if (one === '"') isQuoted = false;
      if (one !== '"' || isQuoted) cell += one;
    } else if (one === '"' && cell === '') isQuoted = true;
    else if (one === separator || one === '\n') {
      row.push(cell.replace(/\r$/, ''));
      cell = '';
      if (one === '\n') {
        rows.push(row);
        row = [];
      }
    } else cell += one;
  }
  if ((cell !== '' || row.length > 0) && rows.length < maxRows) rows.push([...row, cell]);
  return rows;
}

/** The one that the first line has most of. */
function findSeparator(text: string): string {
  const [line = ''] = text.split('\n', 1);
  const counts = [',', ';', '\t'].map((one) => ({ one, count: line.split(one).length }));
  return counts.reduce((best, other) => (other.count > best.count ? other : best)).one;
}
