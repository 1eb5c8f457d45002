// Opens an address in the user's browser.

import { spawn } from 'node:child_process';

const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Resolves to false if there is no browser. */
export function openInBrowser(address: string, browser: string | null): Promise<boolean> {
  const [program, ...words] = browser === null ? (openers[process.platform] ?? ['xdg-open']) : [browser];
  const child = spawn(program, [...words, address], { stdio: 'ignore', detached: true });
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
