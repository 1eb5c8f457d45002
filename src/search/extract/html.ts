// HTML: the text that a reader would see, with the title and what images say in words.

import { decodeEntities, scanMarkup, type Tag } from './markup.ts';
import { decode } from './text.ts';
import { TextGatherer } from './text-gatherer.ts';

/** What stands in them is not for readers. */
const hidden = new Set(['script', 'style', 'template', 'noscript']);
/** These stand within a line: what is before them and behind them may be one word. */
const inline = new Set(
  'a abbr b bdi bdo cite code data dfn em font i kbd mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

export function extractHtml(bytes: Buffer, charset: string | null): string {
  const gatherer = new TextGatherer();
  let within = '';
  scanMarkup(decode(bytes, charset ?? findCharset(bytes)), {
    tag(tag) {
      const name = tag.name.toLowerCase();
      if (within !== '') {
        if (name === `/${within}`) within = '';
        return;
      }
      if (hidden.has(name)) within = name;
      const bare = name.replace(/^\//, '');
      if (!inline.has(bare)) gatherer.add(bare === 'td' || bare === 'th' ? ' ' : '\n');
      if (name === 'img') gatherer.add(`${readAlt(tag)} `);
    },
    text(text) {
      if (within === '') gatherer.add(text.replace(/\s+/g, ' '));
    },
  });
  return gatherer.toText();
}

function findCharset(bytes: Buffer): string | null {
  return /<meta[^>]{0,200}?charset=["']?([\w-]{1,40})/i.exec(bytes.toString('latin1', 0, 2048))?.[1] ?? null;
}

function readAlt({ attributes }: Tag): string {
  return decodeEntities(/\salt=(?:"([^"]*)"|'([^']*)')/i.exec(attributes)?.slice(1).find(Boolean) ?? '');
}
