// Links that are used on one node while another one ends them, suspends them, or counts their downloads.

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { type Caller, createFolder, saveFile } from '../interface/client.ts';
import { ask, manage } from '../interface/managing.ts';
import { changeShare, makeShare, type Share, secretOf, showShare, use } from '../interface/shares.ts';
import { addPage, discover, signIn } from '../security/people.ts';
import { addUser } from '../service/operator.ts';
import { eventually } from '../service/service.ts';
import { addCaller, at, everyScope } from './nodes.ts';
import { all, nodes } from './three-nodes.ts';

export function testShares(): void {
  describe('A link that was made on one node', () => {
    let manager: Caller;
    let eve: Caller;

    before(async () => {
      manager = await addCaller(all[0], 'linking', ...everyScope);
      const page = await addPage(all[0].dataFolder, 'linking-page');
      const person = await addUser(all[0].dataFolder, 'eve');
      const { access_token: token } = await signIn(await discover(nodes.base, page), person);
      eve = { base: nodes.base, application: { Name: 'linking-page', ...page }, token };
    });

    async function makeFolder() {
      const folder = await createFolder(at(manager, all[0]), '-root-', randomUUID());
      const { File } = await saveFile(manager, { FolderId: folder.Id, FileName: 'a.bin' }, randomBytes(100_000));
      return { folder, file: File };
    }

    async function isEverywhere(share: Share, status: number): Promise<void> {
      for (const node of all) {
        const isSo = async () => (await use(at(manager, node), secretOf(share))).status === status;
        await eventually(`the link is ${status} on every node`, isSo, 1000);
      }
    }

    it('works on all, and its maker sees the address on all', async () => {
      const { folder } = await makeFolder();
      const share = await makeShare(at(manager, all[0]), folder.Id);
      await isEverywhere(share, 200);
      for (const node of all) assert.equal((await showShare(at(manager, node), share)).Url, share.Url);
    });

    it('is 404 on all within a second when it is revoked, and changed on all when it is changed', async () => {
      const { folder } = await makeFolder();
      const share = await makeShare(at(manager, all[0]), folder.Id);
      await isEverywhere(share, 200);
      await changeShare(at(manager, all[1]), share, { Password: 'x' });
      await isEverywhere(share, 401);
      await manage(at(manager, all[2]), 'DELETE', `/shares/${share.Id}`);
      await isEverywhere(share, 404);
    });

    it('is suspended on all within a second while its entry is in the trash', async () => {
      const { folder } = await makeFolder();
      const share = await makeShare(at(manager, all[0]), folder.Id);
      await isEverywhere(share, 200);
      await manage(at(manager, all[1]), 'DELETE', `/entries/${folder.Id}`);
      await isEverywhere(share, 404);
      await manage(at(manager, all[2]), 'POST', `/entries/${folder.Id}/restore`, {});
      await isEverywhere(share, 200);
    });

    it('is suspended on all within a second when its maker loses the role, the grant or the group', async () => {
      const { folder } = await makeFolder();
      const users = '/users/eve';
      const access = `/entries/${folder.Id}/access`;
      await manage(at(manager, all[1]), 'PATCH', users, { Role: 'editor' });
      const post = () => ask(at(eve, all[1]), 'POST', `/entries/${folder.Id}/shares`, { Access: 'read' });
      await eventually('the role holds', async () => (await post()).status === 200, 1000);
      const share = await makeShare(at(eve, all[1]), folder.Id);
      await isEverywhere(share, 200);
      await manage(at(manager, all[2]), 'PATCH', users, { Role: 'viewer' });
      await isEverywhere(share, 404);
      await manage(at(manager, all[0]), 'PUT', `${access}/user:eve`, { Role: 'editor' });
      await isEverywhere(share, 200);
      await manage(at(manager, all[1]), 'DELETE', `${access}/user:eve`);
      await isEverywhere(share, 404);
      await manage(at(manager, all[2]), 'POST', '/groups', { Name: 'linking', Members: ['eve'] });
      await manage(at(manager, all[0]), 'PUT', `${access}/group:linking`, { Role: 'editor' });
      await isEverywhere(share, 200);
      await manage(at(manager, all[1]), 'DELETE', '/groups/linking');
      await isEverywhere(share, 404);
    });

    it('allows exactly as many downloads as it says, from all nodes at the same time', async () => {
      const { folder, file } = await makeFolder();
      const most = 7;
      const share = await makeShare(at(manager, all[0]), folder.Id, { MaxDownloads: most });
      const paths = [`/files/${file.Id}/content`, '/archive'];
      const attempts = Array.from({ length: 12 }, (_, index) => paths[index % paths.length] ?? '');
      const answers = await Promise.all(
        all.flatMap((node) => attempts.map((path) => use(at(manager, node), secretOf(share), path))),
      );
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [...Array(most).fill(200), ...Array(statuses.length - most).fill(404)]);
      for (const node of all) {
        const { Downloads, State } = await showShare(at(manager, node), share);
        assert.deepEqual([Downloads, State], [most, 'exhausted']);
      }
      await isEverywhere(share, 404);
    });
  });
}
