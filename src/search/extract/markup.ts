// Takes the text out of HTML and XML by one pass over the characters, without building a tree: its cost and its memory
// grow with the length alone, whatever the nesting.

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
  ntilde: 'ñ',
  euro: '€',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  copy: '©',
  reg: '®',
};

export interface Tag {
  /** Lower case for HTML, as it is for XML; with a slash before it where it closes. */
  name: string;
  /** Between the name and the end of the tag. */
  attributes: string;
}

/** Calls back for every tag and for every piece of text between them. */
export function scanMarkup(markup: string, on: { tag(tag: Tag): void; text(text: string): void }): void {
  let at = 0;
  while (at < markup.length) {
    const open = markup.indexOf('<', at);
    if (open !== at) on.text(decodeEntities(markup.slice(at, open < 0 ? undefined : open)));
    if (open < 0) return;
    at = scanTag(markup, open, on);
  }
}

function scanTag(markup: string, open: number, on: { tag(tag: Tag): void; text(text: string): void }): number {
  for (const [begin, end] of skipped) {
    if (!markup.startsWith(begin, open)) continue;
    const closed = markup.indexOf(end, open + begin.length);
    if (begin === '<![CDATA[') on.text(markup.slice(open + begin.length, closed < 0 ? undefined : closed));
    return closed < 0 ? markup.length : closed + end.length;
  }
  if (!/[A-Za-z/_!]/.test(markup.charAt(open + 1))) {
    on.text('<');
    return open + 1;
  }
  const close = findTagEnd(markup, open);
  const inside = markup.slice(open + 1, close);
  const name = /^\/?[^\s/>]*/.exec(inside)?.[0] ?? '';
  on.tag({ name, attributes: inside.slice(name.length) });
  return close + 1;
}

const skipped = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** A `>` within quotation marks does not end a tag. */
function findTagEnd(markup: string, open: number): number {
  let quote = '';
  for (let at = open + 1; at < markup.length; at += 1) {
    const character = markup.charAt(at);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return at;
    else if ((character === '"' || character === "'") && markup.charAt(at - 1) === '=') quote = character;
  }
  return markup.length;
}

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name as string] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal);
    return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : ' ';
  });
}
