import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Entry } from '../domain/entry.ts';
import { renderEntry, renderEnvelope, renderTime } from './wire.ts';

test('a time is rendered as toISOString renders it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (ms) => {
      assert.equal(renderTime(ms), new Date(ms).toISOString());
    }),
  );
});

test('a record is valid JSON with eleven fields, for any text', () => {
  const text = fc.string({ unit: 'grapheme' });
  const properties = fc.dictionary(text, text).map((object) => ({ ...object }));
  fc.assert(
    fc.property(text, text, text, properties, fc.boolean(), (name, by, contentType, given, isKept) => {
      const entry: Entry = {
        id: 'id',
        kind: 'file',
        name,
        objectType: 'cmis:document',
        contentType,
        createdAt: 1,
        createdBy: by,
        modifiedAt: 2,
        modifiedBy: by,
        sizeBytes: 5,
        properties: given,
      };
      assert.deepEqual(JSON.parse(renderEntry(entry)), {
        Id: 'id',
        Name: name,
        Type: 'file',
        ObjectType: 'cmis:document',
        ContentType: contentType,
        CreatedAt: '1970-01-01T00:00:00.001Z',
        CreatedBy: by,
        ModifiedAt: '1970-01-01T00:00:00.002Z',
        ModifiedBy: by,
        Size: 5,
        Properties: given,
      });
      const envelope = JSON.parse(renderEnvelope({ folder: entry, children: [entry, entry], isKept })) as {
        Children: unknown[];
      };
      assert.deepEqual(Object.keys(envelope), ['Folder', 'Children']);
      assert.deepEqual(envelope.Children, [JSON.parse(renderEntry(entry)), JSON.parse(renderEntry(entry))]);
    }),
  );
});
