// The file that an audit trail is exported to.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '@cabinet/client';
import { toCsv, toJson } from './audit-export.ts';

const event: Event = {
  Position: 7,
  At: '2026-01-15T09:30:00.123Z',
  By: 'alice',
  Action: 'file.created',
  EntryId: 'e1',
  RequestTrackingId: 'r1',
  Details: { Name: 'a "b", c' },
};

test('commas, quotes and lines stay within their cell', () => {
  assert.equal(
    toCsv([event]),
    '\ufeffPosition,At,By,Action,EntryId,RequestTrackingId,Details\r\n' +
      '7,2026-01-15T09:30:00.123Z,alice,file.created,e1,r1,"{""Name"":""a \\""b\\"", c""}"\r\n',
  );
});

test('what a spreadsheet would run as a formula becomes text', () => {
  for (const hostile of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx']) {
    assert.match(toCsv([{ ...event, By: hostile }]), new RegExp(`,'${RegExp.escape(hostile)},`));
  }
});

test('as JSON it is what the interface answers', () => {
  assert.deepEqual(JSON.parse(toJson([event])), { Events: [event] });
});
