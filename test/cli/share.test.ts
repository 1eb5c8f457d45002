// `cabinet share`: links for people without an account.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exitCodes } from '../../src/cli/user/exit-codes.ts';
import type { Share } from '../interface/shares.ts';
import { Person } from './person.ts';

let person: Person;

before(async () => {
  person = await Person.atService();
  const application = await person.operate<{ AppKey: string; Secret: string }>(['app', 'add', 'desk']);
  assert.equal((await person.logIn(person.service.production, application, [])).code, 0);
  await person.lines('mkdir', '/cases/inner');
});

after(() => person.leave());

test('a link is made, listed, used and revoked', async () => {
  assert.deepEqual(await person.lines('share', 'list'), ['No links. Create one: cabinet share PATH']);
  const [url = '', password = ''] = await person.lines('share', '/cases', '--expires', '7d', '--password');
  assert.match(url, /\/s\/[\w-]{43}$/);
  const [, shown = ''] = /^Password: (\S+)$/.exec(password) ?? [];
  const address = url.replace('/s/', '/v1/contentmanagement/shared/');
  assert.equal((await fetch(address)).status, 401);
  assert.equal((await fetch(address, { headers: { SharePassword: shown } })).status, 200);
  const { Shares } = await person.json<{ Shares: Share[] }>('share', 'list', '/cases');
  const [share] = Shares;
  assert.deepEqual([share?.Access, share?.HasPassword, share?.Url], ['read', true, url]);
  const days = (Date.parse(String(share?.ExpiresAt)) - Date.now()) / 86_400_000;
  assert.ok(days > 6 && days <= 7);
  assert.deepEqual(await person.lines('share', 'revoke', url), ['The link “cases” is revoked.']);
  assert.equal((await fetch(address)).status, 404);
  assert.match(
    (await person.lines('share', 'list'))[0] ?? '',
    / {2}read {2}revoked {2}until .+ {2}0 downloaded {2}cases$/,
  );
});

test('a link for uploads is made in JSON, and revoked by its id', async () => {
  const { Share } = await person.json<{ Share: Share }>('share', '/cases/inner', '--upload');
  assert.deepEqual([Share.Access, Share.HasPassword, Share.Name], ['upload', false, 'inner']);
  await person.lines('share', 'revoke', Share.Id);
  assert.match(
    (await person.lines('share', 'list', '/cases/inner'))[0] ?? '',
    / {2}upload {2}revoked {2}.+ {2}0 sent {2}inner$/,
  );
});

test('wrong uses are said', async () => {
  for (const words of [
    ['/cases', '--expires', 'soon'],
    ['/cases', '--downloads', '0'],
  ]) {
    assert.equal((await person.run(['share', ...words])).code, exitCodes.wrongUse);
  }
  assert.notEqual((await person.run(['share', '/nothing'])).code, 0);
  assert.notEqual((await person.run(['share', 'revoke', 'unknown'])).code, 0);
});
