// HTML: the text that a reader would see, with the title and the alternative texts of images.

import { HiddenPart, isHiding } from './html-hidden.ts';
import { scanMarkup } from './markup.ts';
import { decode } from './text.ts';
import { TextGatherer } from './text-gatherer.ts';

/** Inline elements: the text before and after their tags may be one word. */
const inline = new Set(
  'a abbr b bdi bdo cite code data dfn em font i kbd mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

export function extractHtml(bytes: Buffer, charset: string | null, onCut?: () => void): string {
  const gatherer = new TextGatherer();
  let hidden: HiddenPart | null = null;
  const separate = (name: string) => {
    if (!inline.has(name)) gatherer.add(name === 'td' || name === 'th' ? ' ' : '\n');
  };
  scanMarkup(decode(bytes, charset ?? findCharset(bytes)), 'html', {
    open(tag) {
      if (hidden?.endsBefore(tag, inline) === false) return hidden.open(tag);
      hidden = isHiding(tag) ? new HiddenPart(tag.name) : null;
      separate(tag.name);
      if (tag.name === 'img' && hidden === null)
        gatherer.add(`${tag.attributes.get('alt') ?? ''} `.replace(/\s+/g, ' '));
    },
    close(name) {
      if (hidden?.close(name) === false) return;
      hidden = null;
      separate(name);
    },
    text(text) {
      if (hidden === null) gatherer.add(text.replace(/\s+/g, ' '));
    },
    isDone: () => gatherer.isFull,
  });
  return gatherer.toText(onCut);
}

function findCharset(bytes: Buffer): string | null {
  return /<meta[^>]{0,200}?charset=["']?([\w-]{1,40})/i.exec(bytes.toString('latin1', 0, 2048))?.[1] ?? null;
}
