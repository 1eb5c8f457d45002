// What a browser is called, from its User-Agent: good enough to recognize one's own.

const browsers = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
] as const;

const systems = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const;

export interface BrowserName {
  browser: string | null;
  system: string | null;
}

export function toBrowserName(userAgent: string): BrowserName {
  const find = (known: typeof browsers | typeof systems) =>
    known.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? null;
  return { browser: find(browsers), system: find(systems) };
}
