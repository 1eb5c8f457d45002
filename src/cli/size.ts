// Amounts as people write them: the same units as in the console, singular and plural.

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `48 MB`, `1.5 kB`; one decimal below ten. */
export function toSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const digits = unit > 0 && size < 9.95 ? 1 : 0;
  return `${Number(size.toFixed(digits))} ${units[unit]}`;
}

const plurals: Record<string, string> = { entry: 'entries', copy: 'copies' };

/** `1 file`, `2 files`. */
export function toCount(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : (plurals[noun] ?? `${noun}s`)}`;
}
