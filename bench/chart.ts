// Charts as SVG that reads in light and in dark, without anything from elsewhere.

export type Bar = { label: string; note: string; value: number; isOwn: boolean };

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

function drawRow({ label, note, value, isOwn }: Bar, top: number, length: number): string {
  return `<text x="0" y="${top + 11}">${toText(label)}</text><text class="note" x="0" y="${top + 25}">${toText(note)}</text>
<rect class="${isOwn ? 'own' : 'bar'}" x="${labelWidth}" y="${top}" width="${Math.max(1, length).toFixed(1)}" height="20" rx="3"/>
<text x="${(labelWidth + length + 8).toFixed(1)}" y="${top + 15}">${Math.round(value).toLocaleString('en')}</text>`;
}

function toText(plain: string): string {
  return plain.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
