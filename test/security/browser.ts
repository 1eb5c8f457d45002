// A browser as far as signing in needs one: it keeps cookies by path, follows redirects and fills in forms.

import assert from 'node:assert/strict';

interface Cookie {
  name: string;
  value: string;
  path: string;
}

export interface Page {
  url: URL;
  status: number;
  text: string;
  headers: Headers;
}

export class Browser {
  #cookies: Cookie[] = [];
  readonly #toServer: (url: URL) => URL;

  /** `toServer` is where a request really goes, as a proxy decides it. */
  constructor(toServer: (url: URL) => URL = (url) => url) {
    this.#toServer = toServer;
  }

  get cookies(): readonly Cookie[] {
    return this.#cookies;
  }

  /** Follows redirects until a page, or an address elsewhere than `home`, which is returned as it is. */
  async open(address: string | URL, init: RequestInit = {}): Promise<Page> {
    let url = new URL(address);
    const home = url.origin;
    let request = init;
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await fetch(this.#toServer(url), {
        ...request,
        redirect: 'manual',
        headers: { Accept: 'text/html', Cookie: this.#cookieFor(url), ...request.headers },
      });
      this.#keep(response);
      const location = response.headers.get('location');
      const text = await response.text();
      if (location === null) return { url, status: response.status, text, headers: response.headers };
      const next = new URL(location, url);
      if (next.origin !== home) return { url: next, status: response.status, text, headers: response.headers };
      url = next;
      request = {};
    }
    throw new Error('the redirects never end');
  }

  /** Sends the only form of a page, with its hidden fields and these. */
  async submit(page: Page, fields: Record<string, string>): Promise<Page> {
    const action = /<form[^>]* action="([^"]*)"/.exec(page.text)?.[1];
    const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    const body = new URLSearchParams([
      ...hidden.map(([, name = '', value = '']) => [name, value]),
      ...Object.entries(fields),
    ]);
    assert.match(page.text, /<form/);
    return await this.open(new URL(action ?? page.url, page.url), { method: 'POST', body });
  }

  #cookieFor({ pathname }: URL): string {
    return this.#cookies
      .filter(({ path }) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  #keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/;\s*/);
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      const path = attributes.find((text) => /^path=/i.test(text))?.slice(5) ?? '/';
      assert.ok(
        attributes.some((text) => /^httponly$/i.test(text)),
        `${name} can be read by scripts`,
      );
      assert.ok(
        attributes.some((text) => /^samesite=(lax|strict)$/i.test(text)),
        `${name} is sent across sites`,
      );
      this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
      if (value !== '') this.#cookies.push({ name, value, path });
    }
  }
}
