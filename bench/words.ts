// Documents for the scenario `search`: made-up words with the frequencies of a language (the n-th about 1/n as often as the first),
// the same in every run.

const vocabulary = 50_000;
const consonants = 'bcdfghklmnprstvwz';
const vowels = 'aeiou';

/** The word of this rank: pronounceable, two to four syllables, no two ranks alike. */
export function makeWord(rank: number): string {
  let left = (rank * 7919) % vocabulary;
  let word = '';
  for (let syllable = 0; syllable < 2 || left > 0; syllable++) {
    word += consonants.charAt(left % consonants.length);
    left = Math.floor(left / consonants.length);
    word += vowels.charAt(left % vowels.length);
    left = Math.floor(left / vowels.length);
  }
  return word;
}

export class Words {
  readonly #perDocument: number;
  readonly #words = Array.from({ length: vocabulary }, (_, rank) => makeWord(rank));
  #seed = 1;

  constructor(perDocument: number) {
    this.#perDocument = perDocument;
  }

  name(index: number): string {
    return `report ${index} ${this.#pick()}`;
  }

  /** Every fifth word or so is one of the most usual ones. */
  document(_index: number): string {
    const words = Array.from({ length: this.#perDocument - 2 }, () => this.#pick());
    words.splice(3, 0, 'everywhere', makeWord(Math.floor(20 * this.#random())));
    return words.join(' ');
  }

  #pick(): string {
    return this.#words[Math.floor(vocabulary ** this.#random()) - 1] as string;
  }

  #random(): number {
    this.#seed = (Math.imul(this.#seed, 1103515245) + 12345) & 0x7fffffff;
    return this.#seed / 0x80000000;
  }
}
