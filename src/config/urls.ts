// Addresses in settings.

/** Without a slash at the end. Null: not an http or https address, or one with a query or a fragment. */
export function parseUrl(text: string): string | null {
  const url = URL.parse(text);
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '';
  return isAddress ? text.replace(/\/+$/, '') : null;
}

/** Paths of requests are compared with the path of a public address as it is: nothing in it may be encoded or resolved. */
export function hasPlainPath(url: string): boolean {
  return /^https?:\/\/[^/]+(\/(?!\.\.?(\/|$))[\w.~-]+)*$/i.test(url);
}
