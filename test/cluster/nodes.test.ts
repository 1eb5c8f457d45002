// Three stateless nodes: a change on one applies on all, and what one saves all serve.

import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { assertRefusal, must } from '../interface/assertions.ts';
import {
  askToken,
  basicAuthorization,
  type Caller,
  call,
  download,
  fetchToken,
  saveFile,
} from '../interface/client.ts';
import { get } from '../interface/managing.ts';
import { eventually } from '../service/service.ts';
import { addCaller, at, everyScope, type Node } from './nodes.ts';
import { testDevices } from './nodes-devices.ts';
import { testFeed } from './nodes-feed.ts';
import { testGrants } from './nodes-grants.ts';
import { testMetrics } from './nodes-metrics.ts';
import { testNames } from './nodes-names.ts';
import { testShares } from './nodes-shares.ts';
import { all, firstNames, ground, nodes } from './three-nodes.ts';

async function statusOn(node: { base: string }, caller: Caller): Promise<number> {
  return (await call(at(caller, node), '/folders/-root-')).status;
}

describe('An application', () => {
  it('is known to all nodes, and its token works on all and through the proxy', async () => {
    const caller = await addCaller(all[0], 'everywhere');
    for (const node of [...all, nodes]) assert.equal(await statusOn(node, caller), 200);
    for (const node of all) {
      const other = { ...caller, token: await fetchToken(node.base, caller.application) };
      for (const node of all) assert.equal(await statusOn(node, other), 200);
    }
  });

  it('that is disabled is refused by all nodes within a second, and accepted again as soon', async () => {
    const caller = await addCaller(all[0], 'disabled');
    for (const node of all) assert.equal(await statusOn(node, caller), 200);
    const isEverywhere = async (status: number) => {
      for (const node of all) await eventually('it', async () => (await statusOn(node, caller)) === status, 1000);
    };
    await all[1].cabinet('app', 'disable', caller.application.AppKey, '--no-revoke-tokens');
    await isEverywhere(401);
    await all[1].cabinet('app', 'enable', caller.application.AppKey);
    await isEverywhere(200);
    for (const node of all) await fetchToken(node.base, caller.application);
  });

  it('gets no token from any node with a revoked secret', async () => {
    const { application } = await addCaller(all[0], 'rotated');
    await all[2].cabinet('app', 'rotate', application.AppKey);
    for (const node of all) {
      const Authorization = basicAuthorization(application.AppKey, application.Secret);
      const answer = await askToken(node.base, { grant_type: 'client_credentials' }, { Authorization });
      assert.equal(answer.status, 401);
    }
  });
});

function toKid(token: string): unknown {
  return JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString()).kid;
}

describe('Signing keys', () => {
  it('that are rotated on one node sign tokens that every node accepts at once, and no request fails', async () => {
    const caller = await addCaller(all[0], 'keys');
    const refused: string[] = [];
    let requests = 0;
    /** Every node signs a token, and each token is used on every node. Resolves to the keys that signed. */
    const askAll = () =>
      Promise.all(
        all.map(async (node) => {
          const token = await fetchToken(node.base, caller.application);
          for (const other of all) {
            requests += 1;
            const { status, body } = await call({ ...caller, token, base: other.base }, '/folders/-root-');
            if (status !== 200) refused.push(body.toString());
          }
          return toKid(token);
        }),
      );
    const [old] = await askAll();
    let isRotated = false;
    const rotating = all[0].cabinet('keys', 'rotate').finally(() => {
      isRotated = true;
    });
    const isRotatedNow = async () => {
      await askAll();
      return isRotated;
    };
    await eventually('the keys are rotated', isRotatedNow);
    await rotating;
    const signsAnew = async () => (await askAll()).every((kid) => kid !== old);
    await eventually('all nodes sign with the new key', signsAnew, 2000);
    assert.equal(refused.length, 0, `${refused.length} of ${requests} were refused: ${refused[0]}`);
    for (const node of all) assert.equal(await statusOn(node, caller), 200, 'what the old key signed is still taken');
  });

  it('that are revoked on one node are refused by all within two seconds', async () => {
    const caller = await addCaller(all[0], 'revoked');
    for (const node of all) assert.equal(await statusOn(node, caller), 200);
    await all[2].cabinet('keys', 'rotate', '--revoke-old');
    for (const node of all) {
      await eventually('it is taken no more', async () => (await statusOn(node, caller)) === 401, 2000);
    }
    const token = await fetchToken(all[1].base, caller.application);
    for (const node of all) assert.equal(await statusOn(node, { ...caller, token }), 200);
  });
});

describe('A quota', () => {
  it('of bytes that is set on one node applies on all, also to concurrent requests', async () => {
    const caller = await addCaller(all[0], 'limited', ...everyScope);
    await all[0].cabinet('quota', 'set', '--space', caller.application.Space, '--bytes', '10000');
    const saves = Array.from({ length: 30 }, (_, index) => {
      const headers = { FileName: `${index}`, 'Content-Type': 'text/plain' };
      return call(at(caller, all[index % 3] as Node), '/files', { method: 'POST', headers, body: randomBytes(1000) });
    });
    const answers = await Promise.all(saves);
    assert.equal(answers.filter(({ status }) => status === 200).length, 10);
    for (const answer of answers) if (answer.status !== 200) assertRefusal(answer, 403, 'QuotaExceeded');
    for (const node of all) {
      const { Space } = await get<{ Space: { Bytes: number; Entries: number } }>(at(caller, node), '/usage');
      assert.deepEqual([Space.Bytes, Space.Entries], [10_000, 10]);
    }
  });
});

describe('Contents', () => {
  it('that one node saved can be read on all, small and large', async (t) => {
    const caller = await addCaller(all[0], 'contents');
    const sizes = ground.s3 === null ? [0, 1, 65_536] : [0, 1, 65_536, 65_537, 300 * 1024, 9 * 1024 * 1024];
    if (ground.s3 === null) t.diagnostic('SKIPPED: large contents, for there is no S3');
    for (const [index, size] of sizes.entries()) {
      const bytes = randomBytes(size);
      const { File } = await saveFile(
        at(caller, all[index % 3] as Node),
        { FolderId: '-root-', FileName: `${size}` },
        bytes,
      );
      for (const node of all)
        assert.ok(bytes.equals(await download(at(caller, node), File.Id)), `${size} on ${node.base}`);
    }
  });

  it('that one node saved are found by search on all', async () => {
    const caller = await addCaller(all[0], 'searching');
    const word = `w${randomUUID().replaceAll('-', '')}`;
    const at0 = { FolderId: '-root-', FileName: 'found.txt', 'Content-Type': 'text/plain' };
    const { File } = await saveFile(at(caller, all[1]), at0, `before ${word} behind`);
    for (const node of all) {
      const found = async () =>
        (await get<{ Results: { Entry: { Id: string } }[] }>(at(caller, node), `/search?q=${word}`)).Results;
      await eventually('it is found', async () => (await found()).length > 0, 30_000);
      assert.deepEqual(
        (await found()).map(({ Entry }) => Entry.Id),
        [File.Id],
      );
    }
  });
});

interface FirstStart {
  Environments: { Application: { AppKey: string; Secret: string } }[];
}

function readFirstStart(dataFolder: string): FirstStart[] {
  const path = join(dataFolder, 'first-start.json');
  return existsSync(path) ? [JSON.parse(readFileSync(path, 'utf8')) as FirstStart] : [];
}

describe('Nodes that start together on an empty database', () => {
  it('make one schema, one set of keys and one first application', async () => {
    const files = all.flatMap(({ dataFolder }) => readFirstStart(dataFolder));
    assert.equal(files.length, 1, 'one node made the first application and wrote its secret');
    for (const names of firstNames) assert.deepEqual(names, ['cabinet-cli', 'console', 'first']);
    const { AppKey, Secret } = must(files[0]?.Environments[0], 'first environment').Application;
    const application = { Name: 'first', AppKey, Secret, Space: '', RootFolderId: '' };
    for (const node of all) {
      const token = await fetchToken(node.base, application);
      for (const other of all) assert.equal(await statusOn(other, { base: '', application, token }), 200);
    }
  });
});

testNames();
testFeed();
testGrants();
testShares();
testDevices();
testMetrics();
