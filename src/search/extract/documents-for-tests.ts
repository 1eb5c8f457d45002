// Makes small real documents for tests: ZIPs, office documents and PDFs, whole, broken and hostile.

import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib';

interface ZipMember {
  name: string;
  content: string | Buffer;
  isEncrypted?: boolean;
}

export function makeZip(members: readonly ZipMember[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, isEncrypted = false } of members) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(isEncrypted ? 1 : 0, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fields, tail, Buffer.from(name)]));
    locals.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, listed, end]);
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

export function makeDocx(paragraphs: readonly string[]): Buffer {
  const body = paragraphs.map((text) => `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`).join('');
  return makeZip([
    { name: '[Content_Types].xml', content: `${xml}<Types/>` },
    { name: 'word/document.xml', content: `${xml}<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>` },
    { name: 'word/styles.xml', content: `${xml}<w:styles><w:t>stylesheet</w:t></w:styles>` },
  ]);
}

/** Texts are shared strings, as Excel writes them; numbers stand in their cells. */
export function makeXlsx(sheet: string, rows: readonly (readonly (string | number)[])[]): Buffer {
  const texts = rows.flat().filter((cell) => typeof cell === 'string');
  const toCell = (cell: string | number) =>
    typeof cell === 'string' ? `<c t="s"><v>${texts.indexOf(cell)}</v></c>` : `<c><v>${cell}</v></c>`;
  const data = rows.map((row) => `<row>${row.map(toCell).join('')}</row>`).join('');
  const shared = texts.map((text) => `<si><t>${text}</t></si>`).join('');
  return makeZip([
    {
      name: 'xl/workbook.xml',
      content: `${xml}<workbook><sheets><sheet name="${sheet}" sheetId="1"/></sheets></workbook>`,
    },
    { name: 'xl/worksheets/sheet1.xml', content: `${xml}<worksheet><sheetData>${data}</sheetData></worksheet>` },
    { name: 'xl/sharedStrings.xml', content: `${xml}<sst>${shared}</sst>` },
  ]);
}

export function makePptx(slides: readonly string[]): Buffer {
  return makeZip(
    slides.map((text, index) => ({
      name: `ppt/slides/slide${index + 1}.xml`,
      content: `${xml}<p:sld><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sld>`,
    })),
  );
}

/** Objects by number, from 1 on; the first is the catalog. */
function makePdfOf(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const places: number[] = [];
  let at = (parts[0] as Buffer).length;
  for (const [index, object] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]);
    places.push(at);
    parts.push(part);
    at += part.length;
  }
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<< /Size ${count} /Root 1 0 R ${trailer}>>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

function makeStream(content: string | Buffer, more = ''): Buffer {
  const packed = deflateSync(content, { level: 9 });
  const head = `<< /Length ${packed.length} /Filter /FlateDecode ${more}>>\nstream\n`;
  return Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')]);
}

const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';

function makePdfWith(content: Buffer, xObjects: readonly Buffer[] = []): Buffer {
  const names = xObjects.map((_, index) => `/X${index} ${6 + index} 0 R`).join(' ');
  return makePdfOf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << ${names} >> >> >>`,
    content,
    font,
    ...xObjects,
  ]);
}

export function makePdf(text: string): Buffer {
  return makePdfWith(makeStream(`BT /F1 12 Tf 72 720 Td (${text}) Tj ET`));
}

/** Forms that draw each other again and again: 10 to the power of `depth` of them. It never ends in practice. */
export function makeEndlessPdf(depth = 12): Buffer {
  const forms = Array.from({ length: depth }, (_, index) => {
    const inner = `/X${index + 1} Do `.repeat(10);
    const names = index + 1 < depth ? `/XObject << /X${index + 1} ${6 + index + 1} 0 R >>` : '';
    const content = index + 1 < depth ? inner : 'BT /F1 12 Tf (x) Tj ET';
    return makeStream(
      content,
      `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 5 0 R >> ${names} >> `,
    );
  });
  return makePdfWith(makeStream('/X0 Do'), forms);
}

/** A page whose content unpacks to so many MiB of the same operator. */
export function makeBombPdf(mib: number): Buffer {
  // What one MiB is packed to, again and again, as one stream: quicker than packing it all.
  const piece = deflateRawSync(Buffer.alloc(1024 * 1024, 'q Q '), { finishFlush: constants.Z_FULL_FLUSH });
  const end = Buffer.from([0x03, 0, 0, 0, 0, 0]);
  const packed = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array<Buffer>(mib).fill(piece), end]);
  const head = Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`);
  return makePdfWith(Buffer.concat([head, packed, Buffer.from('\nendstream')]));
}

export function makeEncryptedPdf(): Buffer {
  const key = `<${'00'.repeat(32)}>`;
  return makePdfOf(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [] /Count 0 >>',
      `<< /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >>`,
    ],
    '/Encrypt 3 0 R /ID [<00><00>] ',
  );
}
