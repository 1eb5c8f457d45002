// The text of office documents: Word, Excel and PowerPoint (OOXML), and OpenDocument. Only the members with text are unpacked, and
// only the text of known elements is taken. Nothing becomes markup.

import { listMembers, type Member, readMember } from './zip.ts';

/** Of all unpacked members together. */
const maxUnpackedBytes = 16 * 1024 * 1024;
export const maxTextChars = 512 * 1024;

interface Format {
  members: RegExp;
  /** Elements whose text counts; null: all. */
  text: ReadonlySet<string> | null;
  /** Elements after which a line ends. */
  line: ReadonlySet<string>;
  /** Elements after which a cell ends. */
  cell: ReadonlySet<string>;
}

const openDocument: Format = {
  members: /^content\.xml$/,
  text: null,
  line: new Set(['text:p', 'text:h', 'text:line-break', 'table:table-row']),
  cell: new Set(['text:tab', 'table:table-cell']),
};

const formats: readonly Format[] = [
  {
    members: /^word\/(document|footnotes|endnotes)\.xml$/,
    text: new Set(['w:t', 'm:t']),
    line: new Set(['w:p', 'w:br', 'w:cr']),
    cell: new Set(['w:tab', 'w:tc']),
  },
  {
    members: /^xl\/worksheets\/sheet\d+\.xml$/,
    text: new Set(['v', 't']),
    line: new Set(['row']),
    cell: new Set(['c']),
  },
  {
    members: /^ppt\/slides\/slide\d+\.xml$/,
    text: new Set(['a:t']),
    line: new Set(['a:p', 'a:br']),
    cell: new Set(['a:tab', 'a:tc']),
  },
  openDocument,
];

export interface OfficeText {
  text: string;
  isCut: boolean;
}

/** Throws if the bytes are no such document. */
export async function extractOffice(bytes: Uint8Array<ArrayBuffer>): Promise<OfficeText> {
  const members = listMembers(bytes);
  const format = formats.find((one) => members.some(({ name }) => one.members.test(name)));
  if (format === undefined) throw new Error('it is no office document');
  const wanted = members.filter(({ name }) => format.members.test(name)).sort(byNumber);
  const shared = await readShared(bytes, members);
  let [text, left] = ['', maxUnpackedBytes];
  for (const member of wanted) {
    if (left <= 0 || text.length > maxTextChars) break;
    const xml = await readMember(bytes, member, left);
    left -= xml.length;
    text += `${gather(xml, format, shared)}\n`;
  }
  const isCut = left <= 0 || text.length > maxTextChars;
  return {
    text: text
      .slice(0, maxTextChars)
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
    isCut,
  };
}

/** `slide2` before `slide10`. */
function byNumber(a: Member, b: Member): number {
  return a.name.localeCompare(b.name, 'en', { numeric: true });
}

/** Cells of Excel refer to texts by their number. */
async function readShared(bytes: Uint8Array<ArrayBuffer>, members: readonly Member[]): Promise<readonly string[]> {
  const member = members.find(({ name }) => name === 'xl/sharedStrings.xml');
  if (member === undefined) return [];
  const xml = await readMember(bytes, member, maxUnpackedBytes);
  const none = new Set<string>();
  const texts = { text: new Set(['t']), line: none, cell: none };
  return xml.split('</si>').map((item) => gather(item, texts, []).replaceAll(/\s+/g, ' '));
}

const tags = /<(\/?)([\w:.-]+)([^>]*?)(\/?)>([^<]*)/g;

function gather(xml: string, format: Omit<Format, 'members'>, shared: readonly string[]): string {
  const parts: string[] = [];
  let [isText, isReference, chars] = [format.text === null, false, 0];
  for (const [, slash, name = '', attributes = '', closing, after = ''] of xml.matchAll(tags)) {
    const isEnd = slash === '/' || closing === '/';
    if (format.text?.has(name)) isText = !isEnd;
    if (name === 'c') isReference = !isEnd && /\bt="s"/.test(attributes);
    if (isEnd && format.line.has(name)) parts.push('\n');
    else if (isEnd && format.cell.has(name)) parts.push('\t');
    if (!isText || after === '') continue;
    parts.push(isReference ? (shared[Number(after)] ?? '') : decode(after));
    chars += after.length;
    if (chars > maxTextChars) break;
  }
  return parts.join('').replaceAll(/\t+(?=\n)/g, '');
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decode(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
}
