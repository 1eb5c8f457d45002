import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderConsentPage } from './consent-page.ts';
import {
  renderCodePage,
  renderConfirmPage,
  renderDeviceRefusedPage,
  renderDeviceSignedInPage,
  renderTooManyCodesPage,
} from './device-pages.ts';
import { chooseAuthWords } from './page-words.ts';
import { renderSignInPage } from './pages.ts';
import { renderNoSetupPage, renderSetupDonePage, renderSetupPage } from './setup-page.ts';

test('the sign-in page speaks the language that the browser prefers, and escapes what it is given', () => {
  const shown = { applicationName: '<b>desk</b>', user: '', problem: null, signedInAs: null };
  const page = (header: string | undefined) => renderSignInPage(shown, chooseAuthWords(header));
  assert.match(
    page('de-AT,de;q=0.9,en;q=0.8'),
    /<html lang="de">.*Bei &#60;b&#62;desk&#60;\/b&#62; anmelden.*Passwort/s,
  );
  assert.match(page('ja,fi'), /<html lang="en">.*Sign in to &#60;b&#62;/s);
  assert.match(page('fr-CA,en;q=0.5'), /<html lang="fr">.*Connexion à &#60;b&#62;.*Mot de passe/s);
  assert.match(page('es'), /<html lang="es">.*Contraseña/s);
  assert.match(page(undefined), /<html lang="en">/);
});

const device = { address: '203.0.113.7', userAgent: '<i>mine</i>' };
const confirm = { action: '/device', xsrf: 'x', applicationName: '<b>desk</b>', code: 'BCDF-GHJK', device };
const consent = { applicationName: '<b>desk</b>', userName: '<u>ann</u>', redirectUri: 'https://desk.example/back' };

test('pages for passwords, consent and devices are in the language of the browser, and escape what they are given', () => {
  const pages = ['en', 'de', 'fr', 'es'].map((language) => {
    const words = chooseAuthWords(language);
    return {
      language,
      text: [
        renderSetupPage({ user: 'ann', name: '<u>ann</u>', problem: null }, words),
        renderSetupDonePage('/cabinet/', words),
        renderNoSetupPage(words),
        renderConsentPage({ ...consent, scopes: ['openid', 'content.write', 'x.new'], device }, words),
        renderConsentPage({ ...consent, redirectUri: null, scopes: ['openid'], device }, words),
        renderCodePage({ action: '/device', xsrf: 'x' }, words.device.wrong, words),
        renderConfirmPage(confirm, words),
        renderDeviceSignedInPage('<b>desk</b>', words),
        renderDeviceRefusedPage(words),
        renderTooManyCodesPage(17, words),
      ].join('\n'),
    };
  });
  for (const { language, text } of pages) {
    assert.equal(text.split(`<html lang="${language}">`).length, 11, language);
    assert.doesNotMatch(text, /<[biu]>|undefined|\[object/, language);
    for (const shown of ['203.0.113.7', '<q>&#60;i&#62;mine', 'BCDF-GHJK', 'desk.example', 'href="/cabinet/"', '17'])
      assert.ok(text.includes(shown), `${language}: ${shown}`);
  }
  assert.equal(new Set(pages.map(({ text }) => text)).size, 4);
});
