import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseAuthWords } from './page-words.ts';
import { renderSignInPage } from './pages.ts';

test('the sign-in page speaks the language that the browser prefers, and escapes what it is given', () => {
  const shown = { applicationName: '<b>desk</b>', user: '', problem: null, signedInAs: null };
  const page = (header: string | undefined) => renderSignInPage(shown, chooseAuthWords(header));
  assert.match(
    page('de-AT,de;q=0.9,en;q=0.8'),
    /<html lang="de">.*Bei &#60;b&#62;desk&#60;\/b&#62; anmelden.*Passwort/s,
  );
  assert.match(page('fr,ja'), /<html lang="en">.*Sign in to &#60;b&#62;/s);
  assert.match(page(undefined), /<html lang="en">/);
});
