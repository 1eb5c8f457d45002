// Collects the text of a document up to a limit, so that no document fills the index or the memory.

export const maxTextChars = 1024 * 1024;

export class TextGatherer {
  #pieces: string[] = [];
  #chars = 0;

  get isFull(): boolean {
    return this.#chars >= maxTextChars;
  }

  add(text: string): void {
    if (this.isFull || text === '') return;
    const piece = text.slice(0, maxTextChars - this.#chars);
    this.#pieces.push(piece);
    this.#chars += piece.length;
  }

  /** Collapses white space to one space or line break, and drops what is not text. `onCut` is called when the limit was reached. */
  toText(onCut: () => void = () => undefined): string {
    if (this.isFull) onCut();
    return tidy(this.#pieces.join(''));
  }
}

export function tidy(text: string): string {
  return (
    text
      .toWellFormed()
      .normalize('NFC')
      .replace(/[\ufffd\ufeff\u00ad\u200b]+/gu, '')
      // Control characters other than line breaks become a space.
      .replace(/(?:[^\S\n]|(?!\n)\p{Cc})+/gu, ' ')
      .replace(/ ?\n[ \n]*/gu, '\n')
      .trim()
      .slice(0, maxTextChars)
      .toWellFormed()
  );
}
