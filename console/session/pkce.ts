// PKCE (RFC 7636) in a browser.

export function makeRandom(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

export async function toChallenge(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** The claims of an ID token. It came directly from the issuer, so it need not be verified. */
export function readClaims(idToken: string): { sub: string; name?: string } {
  const [, payload = ''] = idToken.split('.');
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as { sub: string; name?: string };
}
