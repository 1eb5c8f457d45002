// Media types: the one reading of a Content-Type, the check of a declared one, and the guess when none is declared
// (docs/contract.md §2.1). Hides the magic numbers, and the extension table of the package `mime`.

import { createRequire } from 'node:module';
import { Refusal } from './refusal.ts';

export interface MediaType {
  /** Lower-case `type/subtype`, without parameters. */
  essence: string;
  /** Names in lower case, values unquoted. */
  parameters: Map<string, string>;
}

const octetStream = 'application/octet-stream';

/**
 * The declared media type; if absent or `application/octet-stream`, by magic bytes, then by extension. What is not a
 * media type counts as absent. 300 bytes of `head` suffice.
 */
export function toContentType(declared: string | undefined, head: Uint8Array, fileName: string): string {
  const value = declared?.trim();
  if (value !== undefined && isMediaType(value) && readMediaType(value)?.essence !== octetStream) return value;
  const extension = toExtension(fileName);
  return findByMagic(head, extension) ?? findByExtension(extension) ?? octetStream;
}

/** The value without white space around it. */
export function checkMediaType(value: string): string {
  const trimmed = value.trim();
  if (isMediaType(trimmed)) return trimmed;
  throw new Refusal('InvalidField', 'ContentType must be a media type of at most 255 characters, such as text/plain.', {
    target: 'ContentType',
  });
}

const typeAndSubtype = /^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+)(?=[ \t;]|$)/;
const asciiLine = /^[\t\x20-\x7E]*$/;

/** Null if the header is absent or is not exactly one media type by the grammar of RFC 9110, 8.3.1. */
export function readMediaType(header: string | undefined): MediaType | null {
  if (header === undefined || !asciiLine.test(header)) return null;
  const match = typeAndSubtype.exec(header);
  if (match?.[1] === undefined) return null;
  const parameters = readParameters(header.slice(match[0].length), /\\(.)/g);
  return parameters === null ? null : { essence: match[1].toLowerCase(), parameters };
}

const parameter =
  /[ \t]*;[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~0-9A-Za-z-]+)))?/sy;

/**
 * `; name=token; name="quoted"` up to the end of the text, names in lower case. Null if it is anything else, or if a name
 * comes twice: whoever reads the first and whoever reads the last would disagree. `quotedPair` says what `\` escapes.
 */
export function readParameters(text: string, quotedPair: RegExp): Map<string, string> | null {
  const parameters = new Map<string, string>();
  const list = text.trimEnd();
  parameter.lastIndex = 0;
  for (let at = 0; at < list.length; at = parameter.lastIndex) {
    const match = parameter.exec(list);
    if (match === null) return null;
    const name = match[1]?.toLowerCase();
    if (name === undefined) continue;
    if (parameters.has(name)) return null;
    parameters.set(name, match[3] ?? match[2]?.replace(quotedPair, '$1') ?? '');
  }
  return parameters;
}

const storable = /^[\x20-\x7E]{1,255}$/;

function isMediaType(value: string): boolean {
  return storable.test(value) && readMediaType(value) !== null;
}

/** Lower case, without the dot; '' when there is none. ".profile" has none. */
function toExtension(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return dot > 0 ? fileName.slice(dot + 1).toLowerCase() : '';
}

const require = createRequire(import.meta.url);

/** The table is loaded on first use: threads that only read media types never load it. */
function findByExtension(extension: string): string | null {
  const { default: mime } = require('mime') as typeof import('mime');
  return mime.getType(extension);
}

const office = 'docx docm dotx dotm xlsx xlsm xlsb xltx xltm xlam pptx pptm potx potm ppsx ppsm ppam sldx vsdx thmx';

// Containers say little about what they hold: the extension decides when it names a type whose files are such containers.
const zipExtensions: ReadonlySet<string> = new Set(
  `${office} odt ott ods ots odp otp odg otg odf odc odb odm odi oxt sxw epub jar war ear apk xpi air xap wgt kmz usdz 3mf mxl
   xps oxps pages numbers key`.split(/\s+/),
);
// The Office formats again: with a password, Office wraps the ZIP in an OLE container.
const oleExtensions: ReadonlySet<string> = new Set(
  `${office} doc dot xls xlt xla xlm xlw ppt pps pot msg vsd vss vst vsw pub wps wdb wks mpt`.split(/\s+/),
);

type Piece = readonly [offset: number, bytes: string];
const anywhere = -1;

// The first signature wins whose pieces are all found; bytes are written as latin1. Nothing shorter than three bytes, and
// nothing that text could begin with by chance: a wrong hit would overrule a right extension.
const signatures: ReadonlyArray<readonly [type: string, first: Piece, ...pieces: Piece[]]> = [
  ['application/pdf', [0, '%PDF-']],
  ['application/postscript', [0, '%!PS-Adobe-']],
  ['application/rtf', [0, '{\\rtf']],
  ['application/vnd.sqlite3', [0, 'SQLite format 3\0']],
  ['application/wasm', [0, '\0asm']],
  ['application/x-elf', [0, '\x7FELF']],

  ['image/png', [0, '\x89PNG\r\n\x1A\n']],
  ['image/jpeg', [0, '\xFF\xD8\xFF']],
  ['image/gif', [0, 'GIF87a']],
  ['image/gif', [0, 'GIF89a']],
  ['image/webp', [0, 'RIFF'], [8, 'WEBP']],
  ['image/bmp', [0, 'BM'], [6, '\0\0\0\0']],
  ['image/tiff', [0, 'II*\0']],
  ['image/tiff', [0, 'MM\0*']],
  ['image/vnd.microsoft.icon', [0, '\0\0\x01\0'], [9, '\0']],
  ['image/vnd.adobe.photoshop', [0, '8BPS\0\x01']],
  ['image/jp2', [0, '\0\0\0\x0CjP  \r\n\x87\n']],
  ['image/jxl', [0, '\0\0\0\x0CJXL \r\n\x87\n']],
  ['image/heic', [0, '\0\0'], [4, 'ftypheic']],
  ['image/heic', [0, '\0\0'], [4, 'ftypheix']],
  ['image/heif', [0, '\0\0'], [4, 'ftypmif1']],
  ['image/avif', [0, '\0\0'], [4, 'ftypavif']],
  ['image/avif', [0, '\0\0'], [4, 'ftypavis']],

  ['audio/mp4', [0, '\0\0'], [4, 'ftypM4A ']],
  ['video/quicktime', [0, '\0\0'], [4, 'ftypqt  ']],
  ['video/3gpp', [0, '\0\0'], [4, 'ftyp3gp']],
  ['video/3gpp2', [0, '\0\0'], [4, 'ftyp3g2']],
  ['video/mp4', [0, '\0\0'], [4, 'ftyp']],
  ['video/webm', [0, '\x1A\x45\xDF\xA3'], [anywhere, '\x42\x82\x84webm']],
  ['video/x-matroska', [0, '\x1A\x45\xDF\xA3'], [anywhere, '\x42\x82\x88matroska']],
  ['video/x-msvideo', [0, 'RIFF'], [8, 'AVI ']],
  ['video/ogg', [0, 'OggS\0'], [28, '\x80theora']],
  ['audio/ogg', [0, 'OggS\0'], [28, '\x01vorbis']],
  ['audio/ogg', [0, 'OggS\0'], [28, 'OpusHead']],
  ['audio/ogg', [0, 'OggS\0'], [28, '\x7FFLAC']],
  ['application/ogg', [0, 'OggS\0']],
  ['audio/wav', [0, 'RIFF'], [8, 'WAVE']],
  ['audio/flac', [0, 'fLaC\0']],
  ['audio/mpeg', [0, 'ID3'], [4, '\0']],
  ['audio/midi', [0, 'MThd\0\0\0\x06']],

  ['font/woff', [0, 'wOFF']],
  ['font/woff2', [0, 'wOF2']],
  ['font/otf', [0, 'OTTO\0']],
  ['font/ttf', [0, '\0\x01\0\0\0']],

  ['application/gzip', [0, '\x1F\x8B\x08']],
  ['application/x-bzip2', [0, 'BZh'], [4, '1AY&SY']],
  ['application/x-xz', [0, '\xFD7zXZ\0']],
  ['application/x-7z-compressed', [0, "7z\xBC\xAF'\x1C"]],
  ['application/zstd', [0, '\x28\xB5\x2F\xFD']],
  ['application/vnd.rar', [0, 'Rar!\x1A\x07']],
];
/** These two do not show at the beginning. */
const laterSignatures: ReadonlyArray<readonly [type: string, Piece]> = [
  ['application/dicom', [128, 'DICM']],
  ['application/x-tar', [257, 'ustar']],
];
const longestHeadBytes = 300;

/** Every signature has a first byte; most contents match none of them, and this check is cheap. */
const signaturesByFirst = Map.groupBy(signatures, ([, [, bytes]]) => bytes[0]);

function findByMagic(head: Uint8Array, extension: string): string | null {
  const length = Math.min(head.byteLength, longestHeadBytes);
  const text = Buffer.from(head.buffer, head.byteOffset, length).toString('latin1');
  if (text.startsWith('PK\x03\x04') || text.startsWith('PK\x05\x06')) {
    return (zipExtensions.has(extension) ? findByExtension(extension) : null) ?? 'application/zip';
  }
  if (text.startsWith('\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1')) {
    return (oleExtensions.has(extension) ? findByExtension(extension) : null) ?? 'application/x-ole-storage';
  }
  for (const [type, ...pieces] of signaturesByFirst.get(text[0]) ?? []) {
    if (pieces.every((piece) => hasPiece(text, piece))) return type;
  }
  return laterSignatures.find(([, piece]) => hasPiece(text, piece))?.[0] ?? null;
}

function hasPiece(text: string, [offset, bytes]: Piece): boolean {
  return offset === anywhere ? text.includes(bytes) : text.startsWith(bytes, offset);
}
