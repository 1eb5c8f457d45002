// How much text is searched for the snippets of one page. The limit counts characters and not time: the same question gets
// the same snippets on a slow or busy machine, and from either engine. Results take from it in their order, best first.
// Once it is used up, a snippet is made from the beginning of its text.

import { isAscii } from './words.ts';

/** Every text is searched up to here, whatever the others took. */
export const beginningChars = 2000;
/** Characters of ASCII in all, about 30 ms of work. */
const pageChars = 8 * 1024 * 1024;
/** Other text is taken apart word by word, at a fraction of the speed. */
const otherFactor = 16;

export class SnippetBudget {
  #left = pageChars;

  /** Whether more than the beginning of a next text is searched. */
  get isLeft(): boolean {
    return this.#left > beginningChars;
  }

  /** As much of the text as is searched. */
  take(text: string): string {
    if (text.length <= beginningChars) return text;
    const factor = isAscii(text) ? 1 : otherFactor;
    const chars = Math.min(text.length, Math.floor(this.#left / factor));
    if (chars <= beginningChars) return text.slice(0, beginningChars);
    this.#left -= chars * factor;
    return text.slice(0, chars);
  }
}
