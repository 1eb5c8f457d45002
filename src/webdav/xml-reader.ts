// Reads the XML bodies of WebDAV requests into small trees. Namespaces are resolved. A DOCTYPE, more than 64 levels, too many elements
// or attributes and more than 1 MiB are refused, so no body can make the parser expand entities, use much memory or take long.

import { setImmediate as yieldOnce } from 'node:timers/promises';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { DavRefusal } from './dav-refusal.ts';

export const maxBodyBytes = 1024 * 1024;
const maxDepth = 64;
/** More of these in 1 MiB is an attack on memory, or on the time of everybody else. */
const maxElements = 20_000;
const maxAttributes = 5_000;
const sliceLength = 16 * 1024;
const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

export interface XmlAttribute {
  prefix: string;
  name: string;
  namespace: string;
  value: string;
}

export interface XmlElement {
  prefix: string;
  name: string;
  namespace: string;
  /** Without declarations of namespaces. */
  attributes: XmlAttribute[];
  /** The declarations on this element: prefix → namespace. */
  declared: Record<string, string>;
  /** The `xml:lang` that applies. */
  lang: string | null;
  children: (XmlElement | string)[];
}

/** Null: the body is empty. */
export async function readXml(body: AsyncIterable<Buffer>): Promise<XmlElement | null> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return sizeBytes === 0 ? null : await parseXml(decode(Buffer.concat(chunks)));
}

export function tooLarge(): DavRefusal {
  return new DavRefusal(413, `The XML body has more than ${maxBodyBytes} bytes.`);
}

/** RFC 4918, section 8.2: UTF-8 or UTF-16. */
function decode(bytes: Buffer): string {
  const [first, second] = bytes;
  const isLittle = (first === 0xff && second === 0xfe) || (first === 0x3c && second === 0);
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c);
  try {
    return new TextDecoder(isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidXml('it is neither UTF-8 nor UTF-16');
  }
}

export function invalidXml(problem: string, condition: string | null = null): DavRefusal {
  return new DavRefusal(400, `The body is not valid XML: ${problem}.`, condition);
}

/** Parsed in slices, with a turn for others after each: a body of 1 MiB can take a second. */
export async function parseXml(text: string): Promise<XmlElement> {
  const builder = new TreeBuilder();
  const parser = openParser(builder);
  for (let at = 0; at < text.length; at += sliceLength) {
    if (at > 0) await yieldOnce();
    parser.write(text.slice(at, at + sliceLength));
  }
  parser.close();
  if (builder.root === null) throw invalidXml('there is no element');
  return builder.root;
}

function openParser(builder: TreeBuilder) {
  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on('error', (error) => {
    throw invalidXml(error.message.slice(0, 200));
  });
  parser.on('doctype', () => {
    throw invalidXml('a DOCTYPE is not allowed', '<D:no-external-entities/>');
  });
  parser.on('attribute', () => builder.countAttribute());
  parser.on('opentag', (tag) => builder.open(tag));
  parser.on('closetag', () => builder.close());
  parser.on('text', (content) => builder.add(content));
  parser.on('cdata', (content) => builder.add(content));
  return parser;
}

class TreeBuilder {
  root: XmlElement | null = null;
  readonly #open: XmlElement[] = [];
  #elements = 0;
  #attributes = 0;

  /** Declarations of namespaces are attributes too. Counted while the element is read: one can have all of them. */
  countAttribute(): void {
    this.#attributes += 1;
    if (this.#attributes > maxAttributes)
      throw new DavRefusal(400, `The XML body has more than ${maxAttributes} attributes.`);
  }

  open(tag: SaxesTagNS): void {
    this.#elements += 1;
    if (this.#open.length >= maxDepth)
      throw new DavRefusal(400, `The XML body is nested deeper than ${maxDepth} levels.`);
    if (this.#elements > maxElements) throw new DavRefusal(400, `The XML body has more than ${maxElements} elements.`);
    const parent = this.#open.at(-1);
    const element = toElement(tag, parent?.lang ?? null);
    if (parent === undefined) this.root = element;
    else parent.children.push(element);
    this.#open.push(element);
  }

  close(): void {
    this.#open.pop();
  }

  add(text: string): void {
    this.#open.at(-1)?.children.push(text);
  }
}

function toElement({ prefix, local, uri, attributes, ns }: SaxesTagNS, inherited: string | null): XmlElement {
  const all = Object.values(attributes).map((one) => ({
    prefix: one.prefix,
    name: one.local,
    namespace: one.uri,
    value: one.value,
  }));
  const own = all.find(({ name, namespace }) => name === 'lang' && namespace === xmlNamespace)?.value;
  return {
    prefix,
    name: local,
    namespace: uri,
    attributes: all.filter((one) => one.prefix !== 'xmlns' && !(one.prefix === '' && one.name === 'xmlns')),
    declared: { ...ns },
    lang: own ?? inherited,
    children: [],
  };
}

export function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => typeof child !== 'string');
}

export function isDav(element: XmlElement | undefined, name: string): element is XmlElement {
  return element?.namespace === 'DAV:' && element.name === name;
}

export function findDav(element: XmlElement, name: string): XmlElement | undefined {
  return elementsOf(element).find((child) => isDav(child, name));
}

/** All text in an element, without markup. */
export function textOf(element: XmlElement): string {
  return element.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}
