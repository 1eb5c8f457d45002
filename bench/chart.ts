// Self-contained SVG charts for light and dark backgrounds.

export type Bar = { label: string; note: string; value: number; isOwn: boolean };

/** Points from left to right. */
export type Curve = { label: string; points: [x: number, y: number][] };

const rowHeight = 34;
const labelWidth = 230;
const barWidth = 360;
const width = 760;

const style = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; font-size: 15px; }
  .note { font-size: 11px; fill: #57606a; }
  .bar { fill: #8c959f; }
  .own { fill: #0f6fde; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note { fill: #9198a1; }
    .bar { fill: #6e7681; }
    .own { fill: #58a6ff; }
  }`;

/** Longest first. */
export function drawBars(title: string, bars: readonly Bar[]): string {
  const sorted = bars.toSorted((left, right) => right.value - left.value);
  const most = Math.max(1, ...sorted.map(({ value }) => value));
  const height = 44 + sorted.length * rowHeight;
  const rows = sorted.map((bar, index) => drawRow(bar, 40 + index * rowHeight, (barWidth * bar.value) / most));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${toText(title)}">
<style>${style}
</style>
<text class="title" x="0" y="18">${toText(title)}</text>
${rows.join('\n')}
</svg>
`;
}

const plot = { left: 60, right: 640, top: 30, height: 70, rowHeight: 120 };

/** One above the other, each from nothing up on a scale of its own: whether it is flat is what is to be seen. */
export function drawCurves(title: string, curves: readonly Curve[]): string {
  const xs = toPlaces(curves.flatMap(({ points }) => points.map(([x]) => x)));
  const height = plot.top + curves.length * plot.rowHeight + 24;
  const ticks = [...xs].map(
    ([x, at]) => `<text class="note" x="${at}" y="${height - 8}" text-anchor="middle">${x.toLocaleString('en')}</text>`,
  );
  const drawn = curves.map((curve, index) => drawCurve(curve, plot.top + index * plot.rowHeight, xs));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${toText(title)}">
<style>${style}
  path { fill: none; stroke: #0f6fde; stroke-width: 2.5; }
  line { stroke: #8c959f; stroke-width: 1; }
  @media (prefers-color-scheme: dark) { path { stroke: #58a6ff; } }
</style>
<text class="title" x="0" y="18">${toText(title)}</text>
${[...ticks, ...drawn].join('\n')}
</svg>
`;
}

function drawCurve({ label, points }: Curve, top: number, xs: Map<number, number>): string {
  const most = Math.max(1, ...points.map(([, y]) => y));
  const bottom = top + plot.rowHeight - 16;
  const placed = points.map(([x, y]) => [xs.get(x) ?? 0, Math.round(bottom - (plot.height * y) / most), y] as const);
  const path = placed.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join(' ');
  const values = placed.map(
    ([x, y, value]) =>
      `<text class="note" x="${x}" y="${y - 7}" text-anchor="middle">${Math.round(value).toLocaleString('en')}</text>`,
  );
  const axis = `<line x1="${plot.left}" y1="${bottom}" x2="${plot.right}" y2="${bottom}"/>`;
  return `<text x="0" y="${top + 14}">${toText(label)}</text>${axis}<path d="${path}"/>${values.join('')}`;
}

/** As far apart as their logarithms are. */
function toPlaces(values: readonly number[]): Map<number, number> {
  const [least, most] = [Math.log10(Math.min(...values)), Math.log10(Math.max(...values))];
  const place = (value: number) => {
    const share = most === least ? 0 : (Math.log10(value) - least) / (most - least);
    return Math.round(plot.left + share * (plot.right - plot.left));
  };
  return new Map(values.map((value) => [value, place(value)]));
}

function drawRow({ label, note, value, isOwn }: Bar, top: number, length: number): string {
  return `<text x="0" y="${top + 11}">${toText(label)}</text><text class="note" x="0" y="${top + 25}">${toText(note)}</text>
<rect class="${isOwn ? 'own' : 'bar'}" x="${labelWidth}" y="${top}" width="${Math.max(1, length).toFixed(1)}" height="20" rx="3"/>
<text x="${(labelWidth + length + 8).toFixed(1)}" y="${top + 15}">${Math.round(value).toLocaleString('en')}</text>`;
}

function toText(plain: string): string {
  return plain.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
