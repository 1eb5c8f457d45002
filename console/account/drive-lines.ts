// The address of a space over WebDAV, and the lines that open it on each system.

export const systems = ['windows', 'mac', 'linux', 'rclone', 'curl'] as const;
export type System = (typeof systems)[number];

export function toDavUrl(serviceUrl: string, spaceName: string): string {
  return `${serviceUrl}/dav/${encodeURIComponent(spaceName)}/`;
}

/** A colon would end the user in HTTP Basic. */
export function toDavUser(id: string): string {
  return id.replaceAll(/[%:]/g, encodeURIComponent);
}

export interface DriveLine {
  text: string;
  /** Whether it is the address alone. */
  isAddress: boolean;
}

export function toDriveLines(system: System, url: string, user: string): DriveLine[] {
  const address = { text: url, isAddress: true };
  const lines = (text: string) => ({ text, isAddress: false });
  switch (system) {
    case 'windows':
      return [address, lines(`net use Z: "${url}" /user:${user} *`)];
    case 'mac':
      return [address];
    case 'linux':
      return [
        { text: url.replace(/^http/, 'dav'), isAddress: true },
        lines(`mount -t davfs -o username=${quote(user)} ${quote(url)} /mnt`),
      ];
    case 'rclone':
      return [
        lines(
          `rclone config create cabinet webdav url=${quote(url)} vendor=other user=${quote(user)} pass="$(rclone obscure APP_PASSWORD)"\nrclone copy Documents cabinet:Documents`,
        ),
      ];
    case 'curl':
      return [lines(`curl -u ${quote(user)} -T report.pdf ${quote(url)}`)];
  }
}

/** For a POSIX shell. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
