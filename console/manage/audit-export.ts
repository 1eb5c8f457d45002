// Exports audit events as CSV or JSON: everything that the filter matches, up to a limit.

import { type AuditFilter, auditPage, type Cabinet, type Event } from '@cabinet/client';

/** A browser handles this many without problems. */
const maxEvents = 100_000;

export interface Gathered {
  events: Event[];
  /** There is more than a file takes. */
  isCut: boolean;
}

export async function gatherEvents(
  cabinet: Cabinet,
  filter: AuditFilter,
  onProgress: (events: number) => void,
): Promise<Gathered> {
  const events: Event[] = [];
  for (let cursor: string | undefined; ; ) {
    const { Events, next } = await auditPage(cabinet, filter, { limit: 1000, cursor });
    events.push(...Events);
    onProgress(events.length);
    if (next === null) return { events, isCut: false };
    if (events.length >= maxEvents) return { events: events.slice(0, maxEvents), isCut: true };
    cursor = next;
  }
}

const columns = ['Position', 'At', 'By', 'Action', 'EntryId', 'RequestTrackingId', 'Details'] as const;

/** RFC 4180, with a byte order mark so that spreadsheets detect UTF-8. */
export function toCsv(events: readonly Event[]): string {
  const lines = events.map((event) =>
    columns.map((column) => toCell(column === 'Details' ? JSON.stringify(event.Details) : String(event[column]))),
  );
  return `\ufeff${[columns, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('')}`;
}

/** A cell that begins like a formula would be run by a spreadsheet: an apostrophe makes it text. */
function toCell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export function toJson(events: readonly Event[]): string {
  return `${JSON.stringify({ Events: events }, null, 2)}\n`;
}

/** Downloads a file in the browser. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
