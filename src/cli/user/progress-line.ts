// Renders progress: as a bar that fits the terminal, or as a plain line.

import { toCount, toSize } from '../size.ts';

export interface Counts {
  files: number;
  bytes: number;
}

export interface ProgressState {
  verb: string;
  done: Counts;
  /** Null while unknown. */
  total: Counts | null;
  bytesPerSecond: number;
  name: string;
}

const minBarWidth = 8;
const maxBarWidth = 30;

/** `put ━━━━━━━━╌╌╌╌  62 %  1.2 GB of 1.9 GB  48 MB/s  0:15 left  3 of 10 files  film.mkv`; what does not fit is left out from the end. */
export function renderBar(state: ProgressState, columns: number): string {
  const share = toShare(state);
  const facts = toFacts(state);
  // The last column stays free: some terminals begin a new line there.
  let room = columns - 1 - state.verb.length - 1;
  const shown: string[] = [];
  const reserved = share === null ? 0 : minBarWidth + 8;
  for (const fact of facts) {
    const needed = fact.length + 2;
    if (shown.length > 0 && needed > room - reserved) break;
    shown.push(fact);
    room -= needed;
  }
  if (share === null) return `${state.verb} ${shown.join('  ')}`.slice(0, columns - 1);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  const length = Math.max(minBarWidth, Math.min(maxBarWidth, room - 8));
  const full = Math.round(share * length);
  const bar = `${'━'.repeat(full)}${'╌'.repeat(length - full)}`;
  return [`${state.verb} ${bar} ${percent} %`, ...shown].join('  ').slice(0, columns - 1);
}

export function renderLine(state: ProgressState): string {
  const share = toShare(state);
  const percent = share === null ? [] : [`${Math.floor(share * 100)} %`];
  return `${state.verb}: ${[...percent, ...toFacts({ ...state, name: '' })].join(', ')}`;
}

function toShare({ done, total }: ProgressState): number | null {
  if (total === null) return null;
  if (total.bytes > 0) return Math.min(1, done.bytes / total.bytes);
  return total.files > 0 ? Math.min(1, done.files / total.files) : null;
}

function toFacts({ done, total, bytesPerSecond, name }: ProgressState): string[] {
  const left = total === null || bytesPerSecond === 0 ? null : (total.bytes - done.bytes) / bytesPerSecond;
  const facts = [
    total === null ? toSize(done.bytes) : `${toSize(done.bytes)} of ${toSize(total.bytes)}`,
    `${toSize(bytesPerSecond)}/s`,
    left === null || left < 0 ? '' : `${toDuration(left)} left`,
    total === null || total.files === 1 ? '' : `${done.files} of ${toCount(total.files, 'file')}`,
    name,
  ];
  return facts.filter((fact) => fact !== '');
}

/** `0:07`, `12:30`, `3:05:00`. */
export function toDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  const parts = [Math.floor(whole / 60) % 60, whole % 60];
  const hours = Math.floor(whole / 3600);
  if (hours === 0) return `${parts[0]}:${String(parts[1]).padStart(2, '0')}`;
  return [hours, ...parts.map((part) => String(part).padStart(2, '0'))].join(':');
}
