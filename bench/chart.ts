// Charts as SVG that reads in light and in dark, without anything from elsewhere.

export type Bar = { label: string; note: string; value: number; isOwn: boolean };

/** Points from left to right; both axes are logarithmic. */
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

const plot = { left: 56, top: 40, width: 620, height: 240 };

export function drawCurves(title: string, curves: readonly Curve[]): string {
  const all = curves.flatMap(({ points }) => points);
  const xs = toScale(
    all.map(([x]) => x),
    { from: plot.left, to: plot.left + plot.width },
  );
  const ys = toScale([1, ...all.map(([, y]) => y)], { from: plot.top + plot.height, to: plot.top });
  const ticks = [...new Set(all.map(([x]) => x))].map(
    (x) =>
      `<text class="note" x="${xs(x)}" y="${plot.top + plot.height + 20}" text-anchor="middle">${x.toLocaleString('en')}</text>`,
  );
  const drawn = curves.map(({ label, points }, index) =>
    drawCurve(
      label,
      points.map(([x, y]) => [xs(x), ys(y), y]),
      index,
    ),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 320" role="img" aria-label="${toText(title)}">
<style>${style}
  path { fill: none; stroke: #8c959f; stroke-width: 2.5; }
  path.first { stroke: #0f6fde; }
</style>
<text class="title" x="0" y="18">${toText(title)}</text>
${[...ticks, ...drawn].join('\n')}
</svg>
`;
}

function drawCurve(label: string, points: number[][], index: number): string {
  const path = points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join(' ');
  const values = points.map(
    ([x, y, value]) =>
      `<text class="note" x="${x}" y="${(y as number) - 8}" text-anchor="middle">${Math.round(value as number)}</text>`,
  );
  const [x = 0, y = 0] = points[0] ?? [];
  return `<path${index === 0 ? ' class="first"' : ''} d="${path}"/><text x="${x}" y="${y + 20}">${toText(label)}</text>${values.join('')}`;
}

function toScale(values: number[], { from, to }: { from: number; to: number }): (value: number) => number {
  const [least, most] = [Math.log10(Math.max(1, Math.min(...values))), Math.log10(Math.max(...values))];
  return (value) => {
    const share = most === least ? 0 : (Math.log10(Math.max(1, value)) - least) / (most - least);
    return Math.round(from + share * (to - from));
  };
}

function drawRow({ label, note, value, isOwn }: Bar, top: number, length: number): string {
  return `<text x="0" y="${top + 11}">${toText(label)}</text><text class="note" x="0" y="${top + 25}">${toText(note)}</text>
<rect class="${isOwn ? 'own' : 'bar'}" x="${labelWidth}" y="${top}" width="${Math.max(1, length).toFixed(1)}" height="20" rx="3"/>
<text x="${(labelWidth + length + 8).toFixed(1)}" y="${top + 15}">${Math.round(value).toLocaleString('en')}</text>`;
}

function toText(plain: string): string {
  return plain.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
