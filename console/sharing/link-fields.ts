// What the form of a link holds, and what is sent of it.

import type { Operations, ShareFields, ShareOptions } from '@cabinet/client';

/** Those that hold in a space with rules of its own. */
export type ShareRules = NonNullable<Operations['GET /spaces/{id}']['answer']['Shares']>;

export const dayMs = 24 * 3600 * 1000;
/** The clock of this computer may be ahead: a year by it is more than the service allows. */
const clockSlackMs = 60_000;
/** What the service takes by itself, or its maximum if that is less. */
const defaultDays = 30;

export interface LinkWish {
  access: 'read' | 'upload';
  /** `d` and a number of days, `date`, or `keep`. */
  expires: string;
  /** `YYYY-MM-DD`, its last day. */
  date: string;
  passwordChange: 'keep' | 'change' | 'remove';
  password: string;
  maxDownloads: string;
  name: string;
  note: string;
}

/** By the rules of the space; null: it has none of its own. */
export function toNewWish(rules: ShareRules | null): LinkWish {
  const days = Math.min(defaultDays, rules?.MaxDays ?? defaultDays);
  return {
    ...{ access: 'read', expires: `d${days}`, date: '', passwordChange: 'change', password: '' },
    ...{ maxDownloads: '', name: '', note: '' },
  };
}

/** The choices of days that the rules leave, and the most that they allow if that is less than a month. */
export function listDays(choices: readonly string[], rules: ShareRules | null): string[] {
  const max = rules?.MaxDays ?? Number.POSITIVE_INFINITY;
  const left = choices.filter((one) => toDays(one) <= max);
  return max < defaultDays && !left.includes(`d${max}`) ? [...left, `d${max}`] : left;
}

export function toDays(choice: string): number {
  return Number(choice.slice(1));
}

export function toWish({ Access, HasPassword, MaxDownloads, Name, Note }: ShareFields): LinkWish {
  return {
    ...{ access: Access, expires: 'keep', date: '', password: '', name: Name, note: Note ?? '' },
    passwordChange: HasPassword ? 'keep' : 'change',
    maxDownloads: MaxDownloads === null ? '' : String(MaxDownloads),
  };
}

/** Null: it is not a number of downloads. */
export function readMaxDownloads(text: string): number | null {
  const number = Number(text);
  return /^\d{1,10}$/.test(text.trim()) && number >= 1 && number <= 1_000_000_000 ? number : null;
}

/** Whether everything is filled in that must be. */
export function isComplete(
  { expires, date, access, maxDownloads, passwordChange, password }: LinkWish,
  isPasswordNeeded = false,
): boolean {
  const hasDate = expires !== 'date' || toLastMoment(date) !== null;
  const hasNumber = access === 'upload' || maxDownloads.trim() === '' || readMaxDownloads(maxDownloads) !== null;
  const isPassword =
    passwordChange !== 'change' || ([...password].length <= 256 && (password !== '' || !isPasswordNeeded));
  return hasDate && hasNumber && isPassword;
}

export function toNewShare(wish: LinkWish, now = Date.now()): ShareOptions {
  const { access, password, maxDownloads, name, note } = wish;
  return {
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(note.trim() !== '' && { note: note.trim() }),
    ...(password !== '' && { password }),
    ...(access === 'read' && maxDownloads.trim() !== '' && { maxDownloads: readMaxDownloads(maxDownloads) }),
    ...(wish.expires !== `d${defaultDays}` && { expiresAt: toExpiry(wish, now) }),
  };
}

/** Only what differs from the link as it is. */
export function toChange(wish: LinkWish, link: ShareFields, now = Date.now()): ShareOptions {
  const before = toWish(link);
  const { passwordChange, password, maxDownloads, name, note, expires } = wish;
  return {
    ...(name.trim() !== before.name && { name: name.trim() === '' ? null : name.trim() }),
    ...(note.trim() !== before.note && { note: note.trim() === '' ? null : note.trim() }),
    ...(passwordChange === 'change' && password !== '' && { password }),
    ...(passwordChange === 'remove' && { password: null }),
    ...(maxDownloads.trim() !== before.maxDownloads && { maxDownloads: readMaxDownloads(maxDownloads) }),
    ...(expires !== 'keep' && { expiresAt: toExpiry(wish, now) }),
  };
}

function toExpiry({ expires, date }: LinkWish, now: number): Date | null {
  return expires === 'date' ? toLastMoment(date) : new Date(now + toDays(expires) * dayMs - clockSlackMs);
}

/** The end of a day in the time zone of the user. */
function toLastMoment(date: string): Date | null {
  const end = new Date(`${date}T23:59:59`);
  return Number.isNaN(end.getTime()) ? null : end;
}

/** Today in the time zone of the user, for date fields. */
export function toToday(now = new Date()): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
