// Paths and addresses of WebDAV: from the target of a request to names, and back to an `href`.

import { DavRefusal } from './dav-refusal.ts';

export const davRoot = '/dav';

// `ignoreBOM` keeps a leading U+FEFF, so that it is refused as part of a name.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function isDavPath(path: string): boolean {
  return path === davRoot || path.startsWith(`${davRoot}/`);
}

/** The names beneath `/dav`, decoded: the space first. */
export function toNames(path: string): string[] {
  // A fragment is never sent (RFC 9110, section 7.1); a client that does so means something else than the path before it.
  if (path.includes('#')) throw invalidPath('it contains #, which must be sent as %23');
  return path
    .slice(davRoot.length)
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeSegment);
}

function decodeSegment(segment: string): string {
  if (/%2f|%00/i.test(segment)) throw invalidPath('a name contains %2F or %00');
  if (/%(?![0-9a-f]{2})/i.test(segment)) throw invalidPath('a % is not followed by two hexadecimal digits');
  const bytes = segment.replaceAll(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    throw invalidPath('a name is not UTF-8');
  }
}

function invalidPath(problem: string): DavRefusal {
  return new DavRefusal(400, `The path cannot be read: ${problem}.`);
}

/** The `href` of these names. `basePath` is the path of the public address, where a proxy adds one. */
export function toHref(basePath: string, names: readonly string[], isCollection: boolean): string {
  const path = [`${basePath}${davRoot}`, ...names.map(encodeURIComponent)].join('/');
  return isCollection ? `${path}/` : path;
}

/** The address of this service, as a client may write it. */
export interface OwnAddress {
  publicUrl: string;
  basePath: string;
  host: string | undefined;
}

/** The path in the header `Destination`, or in a tagged list of `If`: an absolute URL of this service, or a path. Null: another
 *  service. */
export function toOwnPath(address: string, { publicUrl, basePath, host }: OwnAddress): string | null {
  const [, authority, rest = '/'] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)([^?]*)/i.exec(address) ?? [];
  if (authority === undefined && !address.startsWith('/'))
    throw new DavRefusal(400, 'The address is neither a URL nor a path.');
  if (authority !== undefined && !isOwn(authority, [host, new URL(publicUrl).host])) return null;
  const path = authority === undefined ? (address.split('?')[0] ?? '') : rest;
  const isPublic = basePath !== '' && (path === basePath + davRoot || path.startsWith(`${basePath}${davRoot}/`));
  return isPublic ? path.slice(basePath.length) : path;
}

function isOwn(authority: string, own: readonly (string | undefined)[]): boolean {
  const plain = toPlainAuthority(authority.replace(/^.*@/, ''));
  return own.some((one) => one !== undefined && toPlainAuthority(one) === plain);
}

/** Without a default port, which some clients write and others do not. */
function toPlainAuthority(authority: string): string {
  return authority.toLowerCase().replace(/:(80|443)?$/, '');
}
