// Grants and groups that change on one node: the others follow within a second.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Caller, call, createFolder } from '../interface/client.ts';
import { manage } from '../interface/managing.ts';
import { addPage, discover, signIn } from '../security/people.ts';
import { addUser } from '../service/operator.ts';
import { eventually } from '../service/service.ts';
import { addCaller, at, everyScope } from './nodes.ts';
import { all, nodes } from './three-nodes.ts';

export function testGrants(): void {
  describe('What is granted on one node', () => {
    let manager: Caller;
    let ann: Caller;
    let folder: string;

    before(async () => {
      manager = await addCaller(all[0], 'granting', ...everyScope);
      const page = await addPage(all[0].dataFolder, 'granted-page');
      const person = await addUser(all[0].dataFolder, 'ann');
      const { access_token: token } = await signIn(await discover(nodes.base, page), person);
      ann = { base: nodes.base, application: { Name: 'granted-page', ...page }, token };
      folder = (await createFolder(manager, '-root-', 'granted')).Id;
    });

    async function isEverywhere(status: number): Promise<void> {
      for (const node of all) {
        const isSo = async () => (await call(at(ann, node), `/folders/${folder}`)).status === status;
        await eventually(`the folder is ${status} on every node`, isSo, 1000);
      }
    }

    it('shows and hides an entry on all nodes within a second', async () => {
      await isEverywhere(404);
      await manage(at(manager, all[1]), 'PUT', `/entries/${folder}/access/user:ann`, { Role: 'viewer' });
      await isEverywhere(200);
      await manage(at(manager, all[2]), 'DELETE', `/entries/${folder}/access/user:ann`);
      await isEverywhere(404);
    });

    it('follows who is in a group, and its removal', async () => {
      await manage(at(manager, all[1]), 'POST', '/groups', { Name: 'nodes' });
      await manage(at(manager, all[2]), 'PUT', `/entries/${folder}/access/group:nodes`, { Role: 'editor' });
      await isEverywhere(404);
      await manage(at(manager, all[0]), 'PATCH', '/groups/nodes', { Add: ['ann'] });
      await isEverywhere(200);
      assert.equal((await createFolder(at(ann, all[2]), folder, 'by ann')).CreatedBy, 'ann');
      await manage(at(manager, all[1]), 'PATCH', '/groups/nodes', { Remove: ['ann'] });
      await isEverywhere(404);
      await manage(at(manager, all[1]), 'PATCH', '/groups/nodes', { Add: ['ann'] });
      await isEverywhere(200);
      await manage(at(manager, all[2]), 'DELETE', '/groups/nodes');
      await isEverywhere(404);
    });
  });
}
