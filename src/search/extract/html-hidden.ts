// Which parts of an HTML page a reader does not see: elements that are never shown, and those with the attribute `hidden`. Finds the
// end of such a part also where end tags are missing, with bounded memory and time per tag.

import type { Tag } from './markup.ts';

const neverShown = new Set(['script', 'style', 'template', 'noscript', 'iframe', 'noembed', 'noframes']);
const empty = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '));
/** Elements whose end tag may be omitted: they also end where their parent ends. */
const omitsEnd = new Set('p li dt dd tr td th thead tbody tfoot option optgroup rt rp'.split(' '));
/** Of deeper elements within a hidden part, only those of its own name are counted. */
const maxDepth = 256;

/** Whether this tag starts a part that is not shown. */
export function isHiding({ name, attributes }: Tag): boolean {
  return neverShown.has(name) || (isHidden(attributes.get('hidden')) && !empty.has(name));
}

/** Browsers search in parts that are `hidden=until-found`. */
function isHidden(value: string | undefined): boolean {
  return value !== undefined && value.toLowerCase() !== 'until-found';
}

export class HiddenPart {
  readonly #name: string;
  /** The open elements within it. */
  readonly #open: string[] = [];
  /** Open elements of its own name beyond `maxDepth`. */
  #deeper = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /** Whether this tag implies the end of the part: the next of a list, or a block after a paragraph. */
  endsBefore({ name }: Tag, inline: ReadonlySet<string>): boolean {
    if (!omitsEnd.has(this.#name) || this.#open.length > 0) return false;
    return name === this.#name || (this.#name === 'p' && !inline.has(name) && !empty.has(name));
  }

  open({ name }: Tag): void {
    if (empty.has(name)) return;
    if (this.#open.length < maxDepth) this.#open.push(name);
    else if (name === this.#name) this.#deeper += 1;
  }

  /** Whether this end tag ends the part. */
  close(name: string): boolean {
    if (name === this.#name && this.#deeper > 0) {
      this.#deeper -= 1;
      return false;
    }
    const at = this.#open.lastIndexOf(name);
    if (at >= 0) {
      this.#open.length = at;
      return false;
    }
    return name === this.#name || omitsEnd.has(this.#name);
  }
}
