// DOCX, XLSX and PPTX: ZIPs of XML. Each kind has its text in members and elements of known names; everything else (styles,
// pictures, embedded files) is never unpacked.

import { scanMarkup, type Tag } from './markup.ts';
import { TextGatherer } from './text-gatherer.ts';
import { Unreadable } from './unreadable.ts';
import { listMembers, readMember } from './zip.ts';

type OfficeKind = 'docx' | 'xlsx' | 'pptx';

/** The limit of all unpacked members together. */
const maxUnpackedBytes = 64 * 1024 * 1024;

interface Reading {
  members: RegExp;
  /** Elements whose text counts. */
  text: ReadonlySet<string>;
  /** Elements after which a line ends. */
  line: ReadonlySet<string>;
  /** Elements that separate words. */
  space: ReadonlySet<string>;
}

const readings: Record<OfficeKind, Reading> = {
  docx: {
    members: /^word\/(document|footnotes|endnotes|comments|header\d*|footer\d*)\.xml$/,
    text: new Set(['w:t', 'm:t']),
    line: new Set(['w:p', 'w:br', 'w:cr']),
    space: new Set(['w:tab', 'w:tc']),
  },
  xlsx: {
    members: /^xl\/(sharedStrings|workbook|worksheets\/sheet\d+|comments\d*|comments\/comment\d+)\.xml$/,
    text: new Set(['t', 'v']),
    line: new Set(['si', 'row']),
    space: new Set(['c', 'rPh']),
  },
  pptx: {
    members: /^ppt\/(slides\/slide\d+|notesSlides\/notesSlide\d+|comments\/\w+)\.xml$/,
    text: new Set(['a:t', 'p:text']),
    line: new Set(['a:p', 'a:br']),
    space: new Set(['a:tab', 'a:tc']),
  },
};

/** An OLE container: Office uses it for documents with a password. */
const oleMagic = 'd0cf11e0a1b11ae1';

export function extractOffice(bytes: Buffer, kind: OfficeKind, onCut?: () => void): string {
  if (bytes.toString('hex', 0, 8) === oleMagic) throw new Unreadable('it is encrypted');
  const reading = readings[kind];
  const members = [...listMembers(bytes).values()].filter(({ name }) => reading.members.test(name));
  if (members.length === 0) throw new Unreadable(`it is not a document of the kind ${kind}`);
  const gatherer = new TextGatherer();
  let budgetBytes = maxUnpackedBytes;
  for (const member of members.sort((a, b) => compareNames(a.name, b.name))) {
    if (gatherer.isFull) break;
    const xml = readMember(bytes, member, Math.max(1, budgetBytes));
    budgetBytes -= xml.length;
    gather(xml.toString('utf8'), reading, gatherer);
  }
  return gatherer.toText(onCut);
}

/** `slide2` before `slide10`. */
function compareNames(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}

/** A cell of type `s` holds the number of its text in another member: that number is not a word. */
function isReference({ name, attributes }: Tag): boolean {
  return name === 'c' && attributes.get('t') === 's';
}

function gather(xml: string, { text, line, space }: Reading, gatherer: TextGatherer): void {
  let isText = false;
  let isReferring = false;
  const end = (name: string) => {
    if (text.has(name)) isText = false;
    if (name === 'c') isReferring = false;
    if (line.has(name)) gatherer.add('\n');
    if (space.has(name)) gatherer.add(' ');
  };
  scanMarkup(xml, 'xml', {
    open(tag) {
      if (text.has(tag.name)) isText = true;
      if (tag.name === 'c') isReferring = isReference(tag);
      if (tag.name === 'sheet') gatherer.add(`${tag.attributes.get('name') ?? ''}\n`);
      if (tag.isSelfClosing) end(tag.name);
    },
    close: end,
    text(piece) {
      if (isText && !isReferring) gatherer.add(piece);
    },
    isDone: () => gatherer.isFull,
  });
}
