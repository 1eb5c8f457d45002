// Names that people give to what belongs to their account.

import { Refusal } from '../domain/refusal.ts';

export const maxLabelLength = 100;

/** `of`: what it names. */
export function checkLabel(name: string, of: string): string {
  const isGood = name.isWellFormed() && !/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(name) && name.trim() === name;
  if (isGood && name !== '' && [...name].length <= maxLabelLength) return name;
  throw new Refusal('InvalidField', `This cannot be the name of ${of}.`, {
    target: 'Name',
    hint: `Use 1 to ${maxLabelLength} characters, without control characters and without spaces around them.`,
  });
}
