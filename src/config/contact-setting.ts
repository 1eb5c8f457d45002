// Parses `CABINET_SECURITY_CONTACT`: where people report a flaw.

/** Null: not said. Throws an error with the mistake. */
export function parseContact(text: string): string | null {
  if (text === '' || /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(text)) return text === '' ? null : text;
  throw new Error(`${JSON.stringify(text)} is neither mailto:NAME@HOST nor an https address`);
}
