// A device without a browser that asks another node for its token each time (RFC 8628): all nodes know how often it has asked.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandLineAppKey } from '../../src/domain/built-in-applications.ts';
import { all } from './three-nodes.ts';

interface DeviceAnswer {
  device_code: string;
  error: string;
  interval?: number;
}

async function post(base: string, path: string, form: Record<string, string>): Promise<DeviceAnswer> {
  const body = new URLSearchParams({ client_id: commandLineAppKey, ...form });
  return (await (await fetch(`${base}${path}`, { method: 'POST', body })).json()) as DeviceAnswer;
}

async function pollEveryNode(): Promise<DeviceAnswer[]> {
  const { device_code } = await post(all[0].base, '/oauth2/device', { scope: 'openid' });
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code };
  return await Promise.all(all.map(({ base }) => post(base, '/oauth2/token', form)));
}

export function testDevices(): void {
  describe('A device that asks all nodes at once for its token', () => {
    it('is told by all but one to slow down', async () => {
      let errors: string[] = [];
      // More than once, because nodes that stall for seconds answer at the right interval.
      for (let round = 0; round < 3 && new Set(errors).size < 2; round += 1)
        errors = (await pollEveryNode()).map(({ error, interval }) => `${error} ${interval ?? ''}`.trim()).sort();
      assert.deepEqual(errors, ['authorization_pending', 'slow_down 10', 'slow_down 15']);
    });
  });
}
