// Tools of attackers of the sign-in: they come from many addresses, as a trusted proxy (`CABINET_PROXIES`) reports, send
// forms without following redirects, and use stolen cookies.

import type { Configuration } from 'openid-client';
import { type Answer, type Headers, send } from '../interface/client.ts';
import type { Person } from '../service/operator.ts';
import { Browser, type Page } from './browser.ts';
import { type Begun, begin } from './people.ts';

export const behindProxy = { CABINET_PROXIES: '127.0.0.1' } as const;

let places = 0;

/** As if from an address that nobody came from before. */
export function fromElsewhere(): Headers {
  places += 1;
  return { 'X-Forwarded-For': `10.${places >> 16}.${(places >> 8) & 255}.${places & 255}` };
}

/** The cookies that a browser would send there. */
export function cookieOf({ cookies }: Browser, path = '/oauth2/authorize'): string {
  const sent = cookies.filter((cookie) => path.startsWith(cookie.path));
  return sent.map(({ name, value }) => `${name}=${value}`).join('; ');
}

export function get({ origin, pathname, search }: URL, headers: Headers = {}): Promise<Answer> {
  return send(origin, `${pathname}${search}`, { headers: { Accept: 'text/html', ...headers } });
}

/** A browser at the page that asks for a password. */
export interface Opened {
  browser: Browser;
  shown: Page;
  begun: Begun;
}

export async function openSignIn(configuration: Configuration): Promise<Opened> {
  const browser = new Browser();
  const begun = await begin(configuration);
  return { browser, shown: await browser.open(begun.url), begun };
}

/** Sends the form of that page and follows no redirect. */
export function post({ browser, shown }: Opened, { User, Password }: Person, headers: Headers = {}): Promise<Answer> {
  const { origin, pathname } = shown.url;
  const cookie = cookieOf(browser, pathname);
  return send(origin, pathname, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: cookie, ...headers },
    body: new URLSearchParams({ user: User, password: Password }).toString(),
  });
}

/** The redirect with a code that a cookie gets without a form; null if there is none. */
export async function askSilently(cookie: string, { url }: Begun): Promise<URL | null> {
  const { headers } = await get(url, { Cookie: cookie, ...fromElsewhere() });
  const location = URL.parse(headers.location ?? '');
  return location?.searchParams.has('code') ? location : null;
}
