// The address of an environment as clients see it. It may have a path, where a proxy serves the service beneath one.

/** `https://files.example.org/cabinet` → `/cabinet`; empty without a path. */
export function toBasePath(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '');
}
