// Which files are office documents, and of which type. The converter goes by the extension, so it is one of these and never that of
// the name.

export type OfficeType = 'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp';

const ooxml = 'application/vnd.openxmlformats-officedocument.';
const openDocument = 'application/vnd.oasis.opendocument.';

const types: Readonly<Record<string, OfficeType>> = {
  [`${ooxml}wordprocessingml.document`]: 'docx',
  [`${ooxml}spreadsheetml.sheet`]: 'xlsx',
  [`${ooxml}presentationml.presentation`]: 'pptx',
  [`${openDocument}text`]: 'odt',
  [`${openDocument}spreadsheet`]: 'ods',
  [`${openDocument}presentation`]: 'odp',
};
const extensions: ReadonlySet<string> = new Set(Object.values(types));

/** By the content type, or else by the name. */
export function toOfficeType({ name, contentType }: { name: string; contentType: string }): OfficeType | null {
  const essence = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  const known = types[essence];
  if (known !== undefined) return known;
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return extensions.has(extension) ? (extension as OfficeType) : null;
}
