// Sign-ins of devices (RFC 8628) on several nodes: the device and the browser reach another node with each request.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { commandLineAppKey } from '../../src/domain/built-in-applications.ts';
import { Browser, type Page } from '../security/browser.ts';
import { addUser, type Person } from '../service/operator.ts';
import type { Node } from './nodes.ts';
import { all, nodes } from './three-nodes.ts';

interface Codes {
  device_code: string;
  user_code: string;
  verification_uri: string;
}

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const scope = 'openid offline_access content.read';

async function post<Body>(node: Node, path: string, form: Record<string, string>) {
  const body = new URLSearchParams({ client_id: commandLineAppKey, ...form });
  const response = await fetch(`${node.base}${path}`, { method: 'POST', body });
  return { status: response.status, body: (await response.json()) as Body };
}

async function beginDevice(node: Node): Promise<Codes> {
  const { status, body } = await post<Codes>(node, '/oauth2/device', { scope });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

function poll(node: Node, { device_code }: Codes) {
  return post<Record<string, string>>(node, '/oauth2/token', { grant_type: grant, device_code });
}

/** The browser of a proxy that sends each request to the next node. */
function toRotatingBrowser(first: number): Browser {
  let next = first;
  return new Browser(({ pathname, search }) => {
    const { base } = all[next % all.length] as Node;
    next += 1;
    return new URL(`${pathname}${search}`, base);
  });
}

export function testDevices(): void {
  describe('A device', () => {
    let person: Person;

    before(async () => {
      person = await addUser(all[0].dataFolder, 'dora');
    });

    async function enterCode(browser: Browser, codes: Codes): Promise<Page> {
      assert.equal(codes.verification_uri, `${nodes.base}/device`);
      return await browser.submit(await browser.open(codes.verification_uri), { user_code: codes.user_code });
    }

    for (const [index, place] of ['first', 'second', 'third'].entries()) {
      it(`that began on the ${place} node is allowed on others, and gets its tokens from one of them once`, async () => {
        const codes = await beginDevice(all[index] as Node);
        const browser = toRotatingBrowser(index + 1);
        const confirm = await enterCode(browser, codes);
        assert.match(confirm.text, new RegExp(`<strong>${codes.user_code}</strong>`));
        const login = await browser.submit(confirm, {});
        const consent = await browser.submit(login, { user: person.User, password: person.Password });
        const done = await browser.submit(consent, { answer: 'allow' });
        assert.match(done.text, /The device is signed in/);
        const signedIn = await poll(all[(index + 2) % all.length] as Node, codes);
        assert.equal(signedIn.status, 200, JSON.stringify(signedIn));
        const headers = { Authorization: `Bearer ${signedIn.body.access_token}`, AppKey: commandLineAppKey };
        for (const { base } of all) {
          assert.equal((await fetch(`${base}/v1/contentmanagement/me`, { headers })).status, 200);
        }
        // Asking again ends the sign-in: the code may be in other hands.
        const again = await Promise.all(all.map((node) => poll(node, codes)));
        assert.deepEqual(new Set(again.map(({ body }) => body.error)), new Set(['invalid_grant']));
      });
    }

    it('that asks all nodes at once for its token is told by all but one to slow down', async () => {
      const expected = ['authorization_pending', 'slow_down 10', 'slow_down 15'];
      let errors: string[] = [];
      // More than once: what a node that stalls for seconds sends is not too early.
      for (let round = 0; round < 5 && !isDeepStrictEqual(errors, expected); round += 1) {
        const codes = await beginDevice(all[0]);
        const answers = await Promise.all(all.map((node) => poll(node, codes)));
        errors = answers.map(({ body: { error, interval } }) => [error, interval].join(' ').trim()).sort();
      }
      assert.deepEqual(errors, expected);
    });

    it('waits on every node until it is allowed, and is told on another that it was refused', async () => {
      const waiting = await beginDevice(all[0]);
      assert.equal((await poll(all[1], waiting)).body.error, 'authorization_pending');
      const refused = await beginDevice(all[1]);
      const browser = toRotatingBrowser(2);
      const page = await browser.submit(await enterCode(browser, refused), { abort: 'yes' });
      assert.match(page.text, /The device is not signed in/);
      assert.equal((await poll(all[2], refused)).body.error, 'access_denied');
    });
  });
}
