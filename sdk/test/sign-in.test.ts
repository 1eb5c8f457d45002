// People sign in on the page of the service, and their tokens are renewed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Browser } from '../../test/security/browser.ts';
import { addPage, redirectUri } from '../../test/security/people.ts';
import { addUser, setRole } from '../../test/service/operator.ts';
import { eventually } from '../../test/service/service.ts';
import { connect } from '../src/connect.ts';
import { hasCode } from '../src/errors.ts';
import { createFolder, showFolder } from '../src/folders.ts';
import { listSpaces } from '../src/managing.ts';
import { beginSignIn, finishSignIn, personToken, revokeToken } from '../src/sign-in.ts';
import { standOnService } from './ground.ts';

const ground = await standOnService();
const { dataFolder, service } = ground;
const { AppKey: appKey } = await addPage(dataFolder, 'page');
const person = await addUser(dataFolder, 'grace');
await setRole(dataFolder, 'grace', 'editor', ground.application.Space);
const url = service.production;

async function signIn() {
  const stranger = connect({ url, appKey, token: async () => 'none' });
  const begun = beginSignIn(stranger, { redirectUri });
  const browser = new Browser();
  const page = await browser.open(begun.url);
  const back = await browser.submit(page, { user: person.User, password: person.Password });
  return { stranger, begun, returned: back.url.href };
}

test('a person signs in, works in a space, has the token renewed, and signs out', async () => {
  const { stranger, begun, returned } = await signIn();
  const answer = await finishSignIn(stranger, begun, returned);
  const refreshToken = answer.refresh_token ?? '';
  assert.notEqual(refreshToken, '');
  const renewed: string[] = [];
  const onRenewed = ({ refresh_token = '' }) => void renewed.push(refresh_token);
  const cabinet = connect({ url, appKey, token: personToken({ refreshToken, onRenewed }) });
  const [space] = await listSpaces(cabinet);
  const there = { ...cabinet, spaceId: space?.Id };
  const created = await createFolder(there, { name: 'By Grace' });
  assert.equal(created.CreatedBy, 'grace');
  assert.equal(renewed.length, 1, 'one renewal for all calls');
  await revokeToken(cabinet, renewed[0] ?? '');
  const isOut = () =>
    showFolder(there, '-root-').then(
      () => false,
      (error) => hasCode(error, 'TokenRefused'),
    );
  await eventually('the access token does not count any more', isOut, 20_000);
  const later = connect({ url, appKey, token: personToken({ refreshToken: renewed[0] ?? '' }) });
  await assert.rejects(listSpaces(later), { code: 'TokenRefused' });
});

test('an answer to another sign-in, and a refusal, are not taken', async () => {
  const { stranger, begun, returned } = await signIn();
  const other = beginSignIn(stranger, { redirectUri });
  await assert.rejects(finishSignIn(stranger, other, returned), { code: 'TokenRefused', target: 'state' });
  const refused = `${redirectUri}?error=access_denied&state=${begun.state}`;
  await assert.rejects(finishSignIn(stranger, begun, refused), { code: 'TokenRefused', message: /access_denied/ });
  const wrong = { ...begun, verifier: other.verifier };
  await assert.rejects(finishSignIn(stranger, wrong, returned), { code: 'TokenRefused', status: 400 });
});
