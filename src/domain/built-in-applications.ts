// The applications that every environment registers itself, through which people sign in. An AppKey is an identifier, no secret; it is
// the same everywhere, so that the console and the command line need no setting for it.

export const consoleAppKey = 'ak_cabinetconsole000000000000000000';

/** A public client: the command line keeps no secret, so anybody can claim to be it. People agree each time they sign in. */
export const commandLineAppKey = 'ak_cabinetcli0000000000000000000000';

/** Without a port: the command line listens on any free one (RFC 8252). */
export const commandLineRedirectUri = 'http://127.0.0.1/signed-in';

const builtInNames = new Set(['cabinet', 'cabinetcli', 'console', 'cabinetconsole'].map(toLook));

/** Whether people who read the name on a page would take it for the service's own: "Console", "cabinet-cIi". */
export function looksBuiltIn(name: string): boolean {
  return builtInNames.has(toLook(name));
}

function toLook(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/[|1I]/g, 'l')
    .toLowerCase()
    .replaceAll('0', 'o')
    .replaceAll('i', 'l')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}
