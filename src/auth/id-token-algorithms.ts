// How ID tokens can be signed. OpenID Connect Discovery 1.0, section 3, wants RS256 among them; clients that are strict about it
// refuse an issuer without. In a file of its own, because the configuration needs it and should load nothing else.

export const idTokenAlgorithms = ['ES256', 'RS256'] as const;
export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number];
