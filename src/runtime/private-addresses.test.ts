import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPrivateHost } from './private-addresses.ts';

/** Addresses are not looked up. */
const never = async (host: string) => assert.fail(host);

test('hosts on private networks are known, by address and by name', async () => {
  for (const host of [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '192.168.0.9',
    '172.31.0.1',
    '100.64.0.1',
    '[::1]',
    '[fd00::1]',
    '[fe80::1]',
    '[::ffff:10.0.0.1]',
    '0.0.0.0',
  ])
    assert.equal(await isPrivateHost(host, never), true, host);
  for (const host of ['8.8.8.8', '172.32.0.1', '[2606:4700::1111]'])
    assert.equal(await isPrivateHost(host, never), false, host);
  assert.equal(await isPrivateHost('metadata.example', async () => ['8.8.8.8', '169.254.169.254']), true);
  assert.equal(await isPrivateHost('keys.example', async () => ['8.8.8.8']), false);
  assert.equal(await isPrivateHost('nobody.example', async () => []), false);
});
