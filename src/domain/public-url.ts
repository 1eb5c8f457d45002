// The address of an environment as clients see it. It may have a path, where a proxy serves the service beneath one.

/** `https://files.example.org/cabinet` → `/cabinet`; empty without a path. */
export function toBasePath(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '');
}

const wellKnown = /^\/\.well-known\/[^/]+/;

/** The path as the service knows it: `/cabinet/health/live` → `/health/live`. The path of an issuer stands behind the name of
 *  its metadata (RFC 8414, section 3.1): `/.well-known/oauth-authorization-server/cabinet`. Null: not beneath the base path. */
export function withoutBasePath(path: string, basePath: string): string | null {
  if (basePath === '') return null;
  if (path === basePath) return '/';
  if (path.startsWith(`${basePath}/`)) return path.slice(basePath.length);
  const [name] = wellKnown.exec(path) ?? [];
  if (name === undefined) return null;
  const rest = path.slice(name.length);
  if (rest === basePath) return name;
  return rest.startsWith(`${basePath}/`) ? `${name}${rest.slice(basePath.length)}` : null;
}
