// Sums the files of a space by type and by time. The API has no such sums, because they would read every file, so the page pages
// through the change feed's snapshot.

import { type Cabinet, changesPage } from '@cabinet/client';

export const families = ['picture', 'film', 'sound', 'pdf', 'office', 'text', 'archive', 'other'] as const;
export type Family = (typeof families)[number];

export interface Sum {
  files: number;
  bytes: number;
}

export interface Sums {
  /** Entries counted, including folders. */
  entries: number;
  files: number;
  byType: ReadonlyMap<string, Sum>;
  /** By the day, in UTC, on which the file was saved first: 2026-01-15. */
  byDay: ReadonlyMap<string, Sum>;
  /** The cursor of the next page; null at the end. */
  cursor: string | null;
}

export const nothing: Sums = { entries: 0, files: 0, byType: new Map(), byDay: new Map(), cursor: '' };

const pageEntries = 1000;

/** What one more page adds. */
export async function addPage(cabinet: Cabinet, sums: Sums, signal: AbortSignal): Promise<Sums> {
  const from = sums.cursor === '' || sums.cursor === null ? { from: 'snapshot' as const } : { cursor: sums.cursor };
  const { Changes, Cursor } = await changesPage(cabinet, { ...from, limit: pageEntries, signal });
  // The snapshot is followed by changes made meanwhile.
  const present = Changes.filter(({ Action }) => Action === 'present');
  const isWhole = present.length === 0 || present.length < Changes.length;
  const byType = new Map(sums.byType);
  const byDay = new Map(sums.byDay);
  const files = present.flatMap(({ Entry }) => (Entry?.Type === 'file' ? [Entry] : []));
  for (const { ContentType, Size, CreatedAt } of files) {
    add(byType, ContentType?.split(';')[0]?.trim().toLowerCase() || 'application/octet-stream', Size ?? 0);
    add(byDay, CreatedAt.slice(0, 10), Size ?? 0);
  }
  return {
    entries: sums.entries + present.length,
    files: sums.files + files.length,
    byType,
    byDay,
    cursor: isWhole ? null : Cursor,
  };
}

function add(sums: Map<string, Sum>, key: string, bytes: number): void {
  const { files, bytes: before } = sums.get(key) ?? { files: 0, bytes: 0 };
  sums.set(key, { files: files + 1, bytes: before + bytes });
}

const office = /officedocument|opendocument|msword|ms-(excel|powerpoint)|rtf/;
const archive = /zip|tar|7z|rar|compressed/;
const text = /^text\/|json|xml|javascript|yaml|sql/;

export function toFamily(contentType: string): Family {
  if (contentType.startsWith('image/')) return 'picture';
  if (contentType.startsWith('video/')) return 'film';
  if (contentType.startsWith('audio/')) return 'sound';
  if (contentType === 'application/pdf') return 'pdf';
  if (office.test(contentType)) return 'office';
  if (archive.test(contentType)) return 'archive';
  return text.test(contentType) ? 'text' : 'other';
}

/** The families that are there, the largest first. */
export function toFamilies(byType: Sums['byType']): [Family, Sum][] {
  const sums = new Map<Family, Sum>();
  for (const [type, { files, bytes }] of byType) {
    const family = toFamily(type);
    const sum = sums.get(family) ?? { files: 0, bytes: 0 };
    sums.set(family, { files: sum.files + files, bytes: sum.bytes + bytes });
  }
  return [...sums].sort(([, a], [, b]) => b.bytes - a.bytes || b.files - a.files);
}

interface Period extends Sum {
  /** Its first day: 2026-01-15. */
  day: string;
}

export type Step = 'day' | 'week' | 'month';

const dayMs = 24 * 60 * 60 * 1000;
const minPeriods = 12;

/** Periods without gaps up to today, in steps that keep their number small. */
export function toPeriods(byDay: Sums['byDay'], today: string): { step: Step; periods: Period[] } {
  const first = [...byDay.keys()].sort()[0] ?? today;
  const days = (Date.parse(today) - Date.parse(first)) / dayMs;
  const step: Step = days <= 30 ? 'day' : days <= 26 * 7 ? 'week' : 'month';
  const periods = new Map<string, Sum>();
  for (let day = startOf(step, first); day <= today; day = nextOf(step, day)) periods.set(day, { files: 0, bytes: 0 });
  for (const [day, { files, bytes }] of byDay) {
    const sum = periods.get(startOf(step, day));
    if (sum !== undefined) periods.set(startOf(step, day), { files: sum.files + files, bytes: sum.bytes + bytes });
  }
  const known = [...periods].map(([day, sum]) => ({ day, ...sum }));
  return { step, periods: [...before(step, known[0]?.day ?? today, minPeriods - known.length), ...known] };
}

/** Empty periods before the first, so that a young space has a chart too. */
function before(step: Step, day: string, count: number): Period[] {
  if (count <= 0) return [];
  const earlier = startOf(step, toDay(Date.parse(day) - dayMs));
  return [...before(step, earlier, count - 1), { day: earlier, files: 0, bytes: 0 }];
}

function startOf(step: Step, day: string): string {
  if (step === 'month') return `${day.slice(0, 7)}-01`;
  if (step === 'day') return day;
  const at = Date.parse(day);
  // The week begins on Monday.
  return toDay(at - ((new Date(at).getUTCDay() + 6) % 7) * dayMs);
}

function nextOf(step: Step, day: string): string {
  if (step === 'month') return startOf('month', toDay(Date.parse(day) + 32 * dayMs));
  return toDay(Date.parse(day) + (step === 'week' ? 7 : 1) * dayMs);
}

function toDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
