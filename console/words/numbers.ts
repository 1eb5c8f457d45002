// Numbers in a language, and the word that goes with them. French counts nothing in the singular; `Intl` knows.

interface Numbers {
  number(n: number): string;
  /** The number and its word: `1 file`, `2 files`. */
  count(n: number, one: string, many: string): string;
}

export function numbersIn(language: string): Numbers {
  const rules = new Intl.PluralRules(language);
  const number = (n: number) => n.toLocaleString(language);
  return { number, count: (n, one, many) => `${number(n)} ${rules.select(n) === 'one' ? one : many}` };
}
