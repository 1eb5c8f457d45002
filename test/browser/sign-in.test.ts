// Signing in and out in a real browser, which enforces what the pages' Content-Security-Policy and cookies say.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import * as client from 'openid-client';
import { begin, discover, finish } from '../security/people.ts';
import { cabinetJson } from '../service/here.ts';
import { addUser, type Registered } from '../service/operator.ts';
import { makeDataFolder, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { openBrowser, withoutBrowser } from './browser.ts';

test('a person signs in to an application on another origin and out again, by keyboard alone', {
  skip: withoutBrowser,
}, async (context) => {
  const dataFolder = makeDataFolder();
  const service = await startServiceHere(dataFolder);
  context.after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
  });
  const application = createServer((_request, response) => response.end('<title>application</title>')).listen(
    0,
    '127.0.0.1',
  );
  await once(application, 'listening');
  context.after(() => application.close().closeAllConnections());
  const redirectUri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/back`;
  const words = ['app', 'add', 'desk', '--for-people', '--redirect-uri', redirectUri];
  const configuration = await discover(service.production, await cabinetJson<Registered>(dataFolder, words));
  const { User, Password } = await addUser(dataFolder, 'ann');

  const browser = await openBrowser();
  context.after(() => browser.close());
  const page = await browser.context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => problems.push(message.text()));
  const begun = await begin(configuration, { redirect_uri: redirectUri });
  await page.goto(String(begun.url));
  assert.equal(await page.title(), 'Sign in – Cabinet');
  await page.waitForSelector('#user:focus');
  await page.keyboard.type(User);
  await page.keyboard.press('Tab');
  await page.keyboard.type('not the password');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[role=alert]');
  assert.equal(await page.textContent('[role=alert]'), 'The user or the password is not right.');
  // The user stays; the cursor stands in the password.
  assert.equal(await page.inputValue('#user'), User);
  await page.waitForSelector('#password:focus');
  await page.keyboard.type(Password);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${redirectUri}?*`);
  const tokens = await finish(configuration, new URL(page.url()), begun);
  assert.equal(tokens.claims()?.sub, User);

  const url = client.buildEndSessionUrl(configuration, {
    id_token_hint: String(tokens.id_token),
    post_logout_redirect_uri: redirectUri,
  });
  await page.goto(String(url));
  await page.waitForSelector('button:focus');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${redirectUri}*`);
  await page.goto(String((await begin(configuration, { redirect_uri: redirectUri })).url));
  assert.equal(await page.title(), 'Sign in – Cabinet', 'it asks again');
  // A wrong password is a 403, which the browser notes; anything else would be a violated policy or a broken page.
  assert.deepEqual(
    problems.filter((text) => !text.includes('403')),
    [],
  );
});
