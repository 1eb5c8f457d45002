// Formats sizes, times and speeds for a locale.

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

const made = new Map<string, unknown>();

/** Formatters are expensive to create, and every row needs them. */
function keep<Made>(key: string, make: () => Made): Made {
  const known = made.get(key);
  if (known !== undefined) return known as Made;
  const fresh = make();
  made.set(key, fresh);
  return fresh;
}

export function formatSize(bytes: number, locale: string): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const unit = units[step] ?? 'byte';
  const amount = bytes / 1000 ** step;
  const digits = step > 0 && amount < 10 ? 1 : 0;
  const formatter = keep(`size ${locale} ${unit} ${digits}`, () => {
    const unitDisplay = unit === 'byte' ? 'long' : 'short';
    return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: digits });
  });
  return formatter.format(amount);
}

export function formatTime(iso: string, locale: string): string {
  const options = { dateStyle: 'medium', timeStyle: 'medium' } as const;
  return keep(`time ${locale}`, () => new Intl.DateTimeFormat(locale, options)).format(new Date(iso));
}

/** To the minute, for what is planned. */
export function formatMinute(iso: string, locale: string): string {
  const options = { dateStyle: 'medium', timeStyle: 'short' } as const;
  return keep(`minute ${locale}`, () => new Intl.DateTimeFormat(locale, options)).format(new Date(iso));
}

/** For what is less than a day away. */
export function formatHour(iso: string, locale: string): string {
  return keep(`hour ${locale}`, () => new Intl.DateTimeFormat(locale, { timeStyle: 'short' })).format(new Date(iso));
}

const dayMs = 24 * 3600 * 1000;

/** Short, for lists: the time of today, the day of this year, else the whole date. */
export function formatWhen(iso: string, locale: string, now = Date.now()): string {
  const date = new Date(iso);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) {
    return formatHour(iso, locale);
  }
  if (date.getFullYear() === today.getFullYear()) {
    const options = { day: 'numeric', month: 'short' } as const;
    return keep(`day ${locale}`, () => new Intl.DateTimeFormat(locale, options)).format(date);
  }
  return keep(`date ${locale}`, () => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })).format(date);
}

/** With the name of the day of the week. */
export function formatDay(day: string, locale: string): string {
  const options = { dateStyle: 'full' } as const;
  return keep(`weekday ${locale}`, () => new Intl.DateTimeFormat(locale, options)).format(new Date(day));
}

const steps = [
  ['day', dayMs],
  ['hour', 3600 * 1000],
  ['minute', 60 * 1000],
] as const;

export function formatAgo(iso: string, locale: string, now = Date.now()): string {
  const passed = Date.parse(iso) - now;
  const [unit, ms] = steps.find(([, ms]) => Math.abs(passed) >= ms) ?? (['second', 1000] as const);
  const formatter = keep(`ago ${locale}`, () => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }));
  return formatter.format(Math.min(0, Math.round(passed / ms)), unit);
}

export function formatDuration(seconds: number, locale: string): string {
  const [unit, amount] =
    seconds < 60
      ? (['second', Math.ceil(seconds)] as const)
      : seconds < 3600
        ? (['minute', Math.ceil(seconds / 60)] as const)
        : (['hour', Math.ceil(seconds / 3600)] as const);
  const options = { style: 'unit', unit, unitDisplay: 'short' } as const;
  return keep(`for ${locale} ${unit}`, () => new Intl.NumberFormat(locale, options)).format(amount);
}

export function formatPercent(part: number, locale: string): string {
  return keep(`percent ${locale}`, () => new Intl.NumberFormat(locale, { style: 'percent' })).format(part);
}

export function formatNumber(number: number, locale: string): string {
  return keep(`number ${locale}`, () => new Intl.NumberFormat(locale)).format(number);
}
