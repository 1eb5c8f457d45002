// What snippets are made of: HTML that shows a text as it is.

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** In normalization form C, which is what people search for. */
export function escapeHtml(text: string): string {
  return text.normalize('NFC').replace(/[&<>"']/g, (character) => escapes[character] as string);
}
