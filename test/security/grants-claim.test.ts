// Groups that an outside issuer names in its tokens (`CABINET_OIDC_GROUPS_CLAIM`): they add people to groups that there are.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefusal } from '../interface/assertions.ts';
import { type Caller, call, createFolder, fetchToken } from '../interface/client.ts';
import { get, manage } from '../interface/managing.ts';
import { addApplication } from '../service/operator.ts';
import { Company } from './outside-company.ts';

const company = new Company();
let manager: Caller;

before(async () => {
  await company.open(() => [], { CABINET_OIDC_GROUPS_CLAIM: 'groups' });
  const scopes = 'content.read content.write content.admin';
  const application = {
    Name: 'manager',
    ...(await addApplication(company.dataFolder, 'manager', { space: 'shared', scopes })),
  };
  const base = company.service.production;
  manager = { base, application, token: await fetchToken(base, application) };
});

after(() => company.close());

test('a person is in the groups that the token names, as long as it names them', async () => {
  const folder = await createFolder(manager, '-root-', 'for accounting');
  await manage(manager, 'POST', '/groups', { Name: 'accounting', Members: [] });
  await manage(manager, 'PUT', `/entries/${folder.Id}/access/group:accounting`, { Role: 'viewer' });
  const path = `/folders/${folder.Id}`;
  for (const groups of [['other', 'accounting'], 'other accounting']) {
    const zoe = await company.asPerson('zoe', { groups });
    assert.equal((await call(zoe, path)).status, 200, JSON.stringify(groups));
    const { Entries } = await get<{ Entries: { Role: string }[] }>(zoe, '/shared-with-me');
    assert.deepEqual(
      Entries.map(({ Role }) => Role),
      ['viewer'],
    );
  }
  for (const groups of [undefined, [], ['Accounting'], ['account', 'ing'], { accounting: true }, 7]) {
    assertRefusal(await call(await company.asPerson('zoe', { groups }), path), 404, 'FolderNotFound');
  }
});

test('a claim makes no group', async () => {
  await company.asPerson('yan', { groups: ['invented'] }).then((yan) => call(yan, '/spaces'));
  const { Groups } = await get<{ Groups: { Name: string }[] }>(manager, '/groups');
  assert.ok(!Groups.some(({ Name }) => Name === 'invented'));
});
