// Limits the text that is searched for the snippets of one page. The limit is in characters and not in time, so that a query gets
// the same snippets on a slow or busy machine, and from either engine. Results use it in their order, best first. Once it is used
// up, only the beginning of a text is searched.

import { isAscii } from './words.ts';

/** Every text is searched up to here, whatever is left. */
export const beginningChars = 2000;
/** ASCII characters per page, about 30 ms of work. */
const pageChars = 8 * 1024 * 1024;
/** Other text is split word by word, at a fraction of the speed. */
const otherFactor = 16;

export class SnippetBudget {
  #left = pageChars;

  /** Whether more than the beginning of the next text is searched. */
  get isLeft(): boolean {
    return this.#left > beginningChars;
  }

  /** The part of the text to search. */
  take(text: string): string {
    if (text.length <= beginningChars) return text;
    const factor = isAscii(text) ? 1 : otherFactor;
    const chars = Math.min(text.length, Math.floor(this.#left / factor));
    if (chars <= beginningChars) return text.slice(0, beginningChars);
    this.#left -= chars * factor;
    return text.slice(0, chars);
  }
}
