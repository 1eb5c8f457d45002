// Reads DER as certificates and revocation lists have it: tags of one byte, lengths that are known.

export interface Element {
  tag: number;
  content: Buffer;
  /** With tag and length. */
  raw: Buffer;
}

export const tags = {
  boolean: 0x01,
  integer: 0x02,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  context0: 0xa0,
  context3: 0xa3,
};

/** The elements that stand one after another. */
export function readElements(der: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < der.length; ) {
    const { start, length } = readLength(der, at + 1);
    const content = der.subarray(start, start + length);
    if (content.length !== length) throw new Error('The DER ends too early.');
    elements.push({ tag: der[at] as number, content, raw: der.subarray(at, start + length) });
    at = start + length;
  }
  return elements;
}

/** The elements within the one that this is. */
export function readWithin(der: Buffer): Element[] {
  const [element, ...rest] = readElements(der);
  if (rest.length > 0) throw new Error('The DER goes on after its end.');
  return readElements(contentOf(element));
}

export function contentOf(element: Element | undefined): Buffer {
  if (element === undefined) throw new Error('The DER ends too early.');
  return element.content;
}

function readLength(der: Buffer, at: number): { start: number; length: number } {
  const first = der[at];
  if (first === undefined) throw new Error('The DER ends too early.');
  if (first < 0x80) return { start: at + 1, length: first };
  const size = first - 0x80;
  if (size < 1 || size > 4 || at + size >= der.length) throw new Error('The DER has a length that cannot be read.');
  return { start: at + 1 + size, length: der.readUIntBE(at + 1, size) };
}
