// The natural order of names, as the service has it: for lists that are updated without reading them again.

const marks = /\p{M}+/gu;
/** As many digits as the length of a name can have. */
const lengthDigits = 3;

/** Compares two names as `order=natural` does: digits count as numbers, case and accents only decide between names that are equal
 *  otherwise. Negative: `a` comes first. */
export function compareNames(a: string, b: string): number {
  return compareText(toKey(a), toKey(b)) || compareText(a.normalize('NFC'), b.normalize('NFC'));
}

function toKey(name: string): string {
  const folded = name.normalize('NFD').replace(marks, '').toUpperCase().toLowerCase();
  return folded.replace(/\d+/g, (run) => {
    const number = run.replace(/^0+(?=\d)/, '');
    return `0${String(number.length).padStart(lengthDigits, '0')}${number}`;
  });
}

/** By code point: `<` compares the halves of surrogate pairs. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [Array.from(a), Array.from(b)];
  const differing = left.findIndex((character, index) => character !== right[index]);
  if (differing === -1) return -1;
  return (left[differing]?.codePointAt(0) ?? 0) - (right[differing]?.codePointAt(0) ?? -1);
}
