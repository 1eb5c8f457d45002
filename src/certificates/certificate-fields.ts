// Fields of a certificate that node:crypto does not expose, read from its DER: names and serial numbers in the one form in which
// certificates and revocation lists are compared, and the extensions.
//
// The form of a name, as OpenSSL compares them: two encodings of one text are the same name, as are texts that differ only in
// case and in white space. A CA that writes its name in one encoding here and in another there would otherwise have its
// revocations overlooked. JSON, so that no text can pass for the structure around it.

import { contentOf, type Element, readElements, readWithin, tags } from './der.ts';

interface CertificateFields {
  issuer: string;
  subject: string;
  serial: string;
  /** By the object identifier's bytes in hex. */
  extensions: ReadonlyMap<string, Extension>;
}

export interface Extension {
  isCritical: boolean;
  value: Buffer;
}

const basicConstraints = '551d13';

export function readFields(certificateDer: Buffer): CertificateFields {
  const fields = readElements(contentOf(readWithin(certificateDer)[0]));
  if (fields[0]?.tag === tags.context0) fields.shift();
  const [serial, , issuer, , subject] = fields;
  const extensions = fields.find(({ tag }) => tag === tags.context3);
  return {
    issuer: toNameForm(contentOf(issuer)),
    subject: toNameForm(contentOf(subject)),
    serial: toSerialForm(contentOf(serial).toString('hex')),
    extensions: readExtensions(extensions),
  };
}

/** Upper-case hex without leading zeros. */
export function toSerialForm(hex: string): string {
  return hex.replace(/^0+/, '').toUpperCase();
}

/** How many CA certificates may stand between this one and the leaf. */
export function pathLengthOf({ extensions }: CertificateFields): number {
  const constraints = extensions.get(basicConstraints);
  if (constraints === undefined) return Number.POSITIVE_INFINITY;
  const length = readWithin(constraints.value).find(({ tag }) => tag === tags.integer);
  return length === undefined ? Number.POSITIVE_INFINITY : Number(`0x${length.content.toString('hex')}`);
}

export function toNameForm(name: Buffer): string {
  return JSON.stringify(readElements(name).map(({ content }) => readElements(content).map(toAttributeForm).sort()));
}

function toAttributeForm({ content }: Element): string {
  const [type, value] = readElements(content);
  return `${contentOf(type).toString('hex')}=${toTextForm(value)}`;
}

function toTextForm(value: Element | undefined): string {
  if (value === undefined) return '';
  const text = toText(value);
  if (text === null) return `#${value.tag}:${value.content.toString('hex')}`;
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

function toText({ tag, content }: Element): string | null {
  switch (tag) {
    case 0x0c: // UTF8String
    case 0x12: // NumericString
    case 0x13: // PrintableString
    case 0x16: // IA5String
      return content.toString('utf8');
    case 0x14: // TeletexString, which in practice is Latin-1
      return content.toString('latin1');
    case 0x1e: // BMPString
      return content.length % 2 === 0 ? Buffer.from(content).swap16().toString('utf16le') : null;
    default:
      return null;
  }
}

/** From the tagged element that has them; none where there is no such element. */
export function readExtensions(element: Element | undefined): ReadonlyMap<string, Extension> {
  return new Map(element === undefined ? [] : readWithin(element.content).map(toExtension));
}

export function toExtension({ content }: Element): [string, Extension] {
  const [type, ...rest] = readElements(content);
  const flag = rest[0]?.tag === tags.boolean ? rest.shift() : undefined;
  const isCritical = flag !== undefined && flag.content[0] !== 0;
  return [contentOf(type).toString('hex'), { isCritical, value: contentOf(rest[0]) }];
}
