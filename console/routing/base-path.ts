// Where the service is: a proxy may serve it beneath a path. The service writes that path into the page.

/** `/cabinet`, without a slash at the end; empty without a path. */
export const basePath = document.querySelector('meta[name="base-path"]')?.getAttribute('content') ?? '';

/** The address of the service, without a slash at the end. */
export const serviceUrl = `${window.location.origin}${basePath}`;

/** The path of the current page without the base path. */
export function readOwnPath({ pathname }: { pathname: string }): string {
  return isBeneath(pathname) ? pathname.slice(basePath.length) : pathname;
}

/** False where the service is reached in another way than by its public address. */
export function isBeneath(pathname: string): boolean {
  return pathname.startsWith(`${basePath}/`);
}
