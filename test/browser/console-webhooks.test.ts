// The page of webhooks, in a real browser against a real service and a receiver that verifies what arrives.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { makeFolder } from '../interface/client.ts';
import { eventually } from '../service/service.ts';
import { type Receiver, startReceiver } from '../service/webhook-receiver.ts';
import { findBarriers } from './axe.ts';
import { patientMs, withoutBrowser } from './browser.ts';
import { type OpenedConsole, openConsole, type World } from './console-world.ts';
import { goToManaging, openManagedWorld } from './managing-world.ts';

const options = { skip: withoutBrowser, timeout: 3 * patientMs };
let world: World;
let opened: OpenedConsole;
let page: Page;
let receiver: Receiver;

before(async () => {
  if (withoutBrowser) return;
  receiver = await startReceiver();
  world = await openManagedWorld();
  opened = await openConsole(world, world.people.manager, { path: '/manage' });
  page = opened.page;
});

after(async () => {
  if (withoutBrowser) return;
  receiver.close();
  await world.close();
});

const dialog = () => page.getByRole('dialog').or(page.getByRole('alertdialog'));
const button = (name: string | RegExp) => page.getByRole('button', { name });
const notice = (text: string) => page.locator('.notice', { hasText: text }).first().waitFor();
const badge = (text: string) => page.locator('.manage-head .manage-badge', { hasText: text }).waitFor();

test('a webhook is created, tested, paused, activated, replayed and removed', options, async () => {
  await goToManaging(page, 'webhooks');
  await button('New webhook').first().click();
  await dialog().getByRole('textbox', { name: 'Address' }).fill('https://10.0.0.1/');
  await dialog().getByRole('button', { name: 'Create' }).click();
  await dialog().getByRole('alert').waitFor();
  await dialog().getByRole('textbox', { name: 'Address' }).fill(receiver.url);
  await dialog().getByRole('button', { name: 'Create' }).click();
  await dialog().getByText('Keep it now').waitFor();
  const secret = (await dialog().locator('code').first().textContent()) ?? '';
  assert.match(secret, /^whsec_/);
  receiver.secrets.push(secret);
  await button('I have kept it').click();
  await page.getByRole('heading', { name: receiver.url }).waitFor();
  assert.ok(!(await page.content()).includes(secret), 'nothing of it is left on the page');

  receiver.reply = () => (response) => response.writeHead(500).end('<b>not now</b>');
  await button('Send a test').click();
  await notice('The test failed');
  await page.locator('.thing', { hasText: 'cabinet.webhook.test' }).getByText('What the receiver answered').click();
  await page.getByText('<b>not now</b>').waitFor();
  assert.deepEqual(await findBarriers(page), []);
  receiver.reply = () => 204;
  await button('Send a test').click();
  await notice('The receiver took the test: 204');

  await button('Pause').click();
  await badge('Paused');
  await makeFolder(world.caller);
  await button('Activate').click();
  await badge('Active');
  const created = page.locator('.thing', { hasText: 'cabinet.folder.created' });
  const untilShown = (count: number) =>
    eventually(`${count} are shown`, async () => {
      await button('Refresh').click();
      return (await created.count()) >= count;
    });
  await untilShown(1);
  await created.first().getByRole('button', { name: 'Send again from cabinet.folder.created on' }).click();
  await dialog().getByRole('button', { name: 'Send again' }).click();
  await notice('It begins again from there');
  await untilShown(2);
  const [first, second] = receiver.received.filter(({ event }) => event.type === 'cabinet.folder.created');
  assert.equal(first?.event.id, second?.event.id);
  assert.deepEqual(second?.verifiedBy, [secret]);

  await button('New secret').click();
  await dialog().waitFor();
  assert.deepEqual(await findBarriers(page), []);
  await dialog().getByRole('button', { name: 'New secret' }).click();
  await dialog().getByText('Keep it now').waitFor();
  await button('I have kept it').click();
  await button('Send again').first().click();
  await dialog().getByLabel('Since').fill('2026-01-15T09:30');
  await dialog().getByRole('button', { name: 'Send again' }).click();
  await notice('It begins again from there');
  await button('Remove').click();
  await dialog().getByRole('button', { name: 'Remove' }).click();
  await notice('Webhook removed');
  await page.getByText('No webhooks yet').waitFor();
  // The address that was refused.
  assert.deepEqual(
    opened.problems.filter((problem) => !problem.includes('status of 400')),
    [],
  );
});
