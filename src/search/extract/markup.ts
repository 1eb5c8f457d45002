// Scans HTML and XML with the tokenizer of htmlparser2, without building a tree: time and memory grow with the length alone, whatever
// the nesting. The `Parser` of htmlparser2 keeps a stack of open elements and takes quadratic time for deeply nested ones.

import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

export interface Tag {
  /** Lower case in HTML. */
  name: string;
  /** Decoded; names are in lower case in HTML. Of repeated ones the first counts. */
  attributes: ReadonlyMap<string, string>;
  /** Whether it ends with `/>`. */
  isSelfClosing: boolean;
}

interface MarkupHandler {
  open(tag: Tag): void;
  close(name: string): void;
  /** A piece of text, decoded: a text may come in any number of pieces. */
  text(text: string): void;
  /** Whether the rest of the markup can be skipped. */
  isDone(): boolean;
}

export function scanMarkup(markup: string, language: 'html' | 'xml', handler: MarkupHandler): void {
  const scan = new Scan(markup, language === 'xml', handler);
  const tokenizer = new Tokenizer({ xmlMode: language === 'xml', decodeEntities: true }, scan);
  scan.stop = () => tokenizer.pause();
  tokenizer.write(markup);
  if (tokenizer.running) tokenizer.end();
}

/** The callbacks of the tokenizer, which pass positions in the markup. */
class Scan implements TokenizerCallbacks {
  stop: () => void = () => undefined;
  readonly #markup: string;
  readonly #isXml: boolean;
  readonly #handler: MarkupHandler;
  #name = '';
  #attributes = new Map<string, string>();
  #attribute = '';
  #value = '';

  constructor(markup: string, isXml: boolean, handler: MarkupHandler) {
    this.#markup = markup;
    this.#isXml = isXml;
    this.#handler = handler;
  }

  ontext(start: number, end: number): void {
    this.#text(this.#markup.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#text(String.fromCodePoint(codePoint));
  }

  oncdata(start: number, end: number, endOffset: number): void {
    // XML documents are read as HTML, too.
    this.#text(this.#markup.slice(start, end - endOffset));
  }

  #text(text: string): void {
    this.#handler.text(text);
    if (this.#handler.isDone()) this.stop();
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#toName(start, end);
    if (this.#attributes.size > 0) this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#toName(start, end);
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#markup.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (!this.#attributes.has(this.#attribute)) this.#attributes.set(this.#attribute, this.#value);
  }

  onopentagend(): void {
    this.#open(false);
  }

  onselfclosingtag(): void {
    this.#open(true);
  }

  #open(isSelfClosing: boolean): void {
    this.#handler.open({ name: this.#name, attributes: this.#attributes, isSelfClosing });
  }

  onclosetag(start: number, end: number): void {
    this.#handler.close(this.#toName(start, end));
  }

  #toName(start: number, end: number): string {
    const name = this.#markup.slice(start, end);
    return this.#isXml ? name : name.toLowerCase();
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}
