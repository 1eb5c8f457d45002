// Text in XML, escaped; characters that XML cannot have are replaced.

export const xmlHead = '<?xml version="1.0" encoding="utf-8"?>\n';
export const xmlType = 'application/xml; charset=utf-8';

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};
// With what XML cannot have: control characters, lone surrogates, U+FFFE and U+FFFF.
const inText = /[&<>\r]|[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
const everyInText = new RegExp(inText, 'gu');
const inAttribute = new RegExp(`${inText.source}|["\\n\\t]`, 'gu');

export function escapeXml(text: string): string {
  return inText.test(text) ? text.replaceAll(everyInText, toEscape) : text;
}

export function escapeAttribute(text: string): string {
  return text.replaceAll(inAttribute, toEscape);
}

function toEscape(character: string): string {
  return escapes[character] ?? '\u{FFFD}';
}
