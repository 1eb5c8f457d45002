// The pages between a person and an application, in a real browser: a device without a browser (RFC 8628), consent, and the first
// password. In the language of the browser, without barriers in light and dark.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { commandLineAppKey } from '../../src/domain/built-in-applications.ts';
import { call } from '../interface/client.ts';
import { withoutBrowser } from './browser.ts';
import { openWorld, type World } from './console-world.ts';
import { checkView } from './view.ts';

const options = { skip: withoutBrowser };
let world: World;

before(async () => {
  if (withoutBrowser) return;
  world = await openWorld();
});
after(() => world?.close());

async function openPage(locale: string): Promise<Page> {
  const made = await world.browser.newContext({ locale, viewport: { width: 390, height: 720 } });
  return await made.newPage();
}

async function beginDevice(): Promise<{ user_code: string; device_code: string }> {
  const body = new URLSearchParams({ client_id: commandLineAppKey, scope: 'openid content.read' });
  const response = await fetch(`${world.base}/oauth2/device`, { method: 'POST', body });
  return (await response.json()) as { user_code: string; device_code: string };
}

test('a device is allowed in French, from the code to the last page', options, async () => {
  const { user_code: code, device_code: device } = await beginDevice();
  const page = await openPage('fr-FR');
  await page.goto(`${world.base}/device`);
  await checkView(page, 'device-code');
  await page.getByLabel('Code').fill('BBBB-BBBB');
  await page.getByRole('button', { name: 'Continuer' }).click();
  await page.getByRole('alert').filter({ hasText: 'Ce code est incorrect' }).waitFor();
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Continuer' }).click();
  await page.getByText(code).waitFor();
  await checkView(page, 'device-check');
  await page.getByRole('button', { name: 'Continuer' }).click();
  const { User, Password } = world.people.editor;
  await page.getByLabel('Utilisateur').fill(User);
  await page.getByLabel('Mot de passe').fill(Password);
  await page.getByRole('button', { name: 'Se connecter' }).click();
  await page.getByRole('heading', { name: 'Autoriser cabinet-cli à utiliser Cabinet' }).waitFor();
  await checkView(page, 'device-consent');
  await page.getByRole('button', { name: 'Autoriser' }).click();
  await page.getByRole('heading', { name: 'L’appareil est connecté.' }).waitFor();
  await checkView(page, 'device-done');
  const grant = 'urn:ietf:params:oauth:grant-type:device_code';
  const body = new URLSearchParams({ grant_type: grant, client_id: commandLineAppKey, device_code: device });
  assert.equal((await fetch(`${world.base}/oauth2/token`, { method: 'POST', body })).status, 200);
});

test('a first password is set in Spanish; a weak one is refused in the same words', options, async () => {
  const body = JSON.stringify({ Id: 'sofia', Role: 'viewer' });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await call(world.caller, '/users', { method: 'POST', headers, body });
  const { SetupUrl } = JSON.parse(answer.body.toString()) as { SetupUrl: string };
  const page = await openPage('es-MX');
  await page.goto(SetupUrl);
  await checkView(page, 'set-password');
  await page.getByLabel('Contraseña nueva').fill('passwordpassword');
  await page.getByRole('button', { name: 'Establecer la contraseña' }).click();
  await page.getByRole('alert').filter({ hasText: 'Esta contraseña no sirve' }).waitFor();
  await page.getByLabel('Contraseña nueva').fill('cuatro palabras que nadie espera');
  await page.getByRole('button', { name: 'Establecer la contraseña' }).click();
  await page.getByRole('heading', { name: 'Su contraseña está establecida.' }).waitFor();
  await checkView(page, 'password-set');
  await page.goto(SetupUrl);
  await page.getByRole('heading', { name: 'Este enlace no funciona.' }).waitFor();
  await checkView(page, 'setup-over');
});
