// `GET /entries/{id}/locks`: who holds an entry. Locks are taken and released over WebDAV.

import { Refusal } from '../../domain/refusal.ts';
import { showLocks } from '../../operations/locks.ts';
import { json } from '../answer.ts';
import { ids, jsonAnswer, query } from '../openapi/description.ts';
import { Type } from '../openapi/json-schema.ts';
import { exampleLock, Locks } from '../openapi/lock-schemas.ts';
import type { CallerRoute } from '../route.ts';
import { renderLocks } from '../wire-locks.ts';
import { readEntryId } from './entries.ts';

export const listLocksRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/entries/{id}/locks',
  action: 'read',
  async handle({ cabinet }, exchange, caller) {
    const isWithin = readOf(exchange.query().get('of')) === 'children';
    const locks = await showLocks(cabinet, caller, { id: readEntryId(exchange.parameters, caller), isWithin });
    return json(renderLocks(locks));
  },
  describe: {
    operationId: 'EntriesLocks',
    tag: 'Entries',
    summary: 'Show who has locked an entry',
    description:
      'The locks that apply to it: its own, and deep ones of folders above it. With `of=children`, those on the ' +
      'entries directly in the folder. Programs take locks over WebDAV; tokens are not shown.',
    parameters: [
      ids.entry,
      query('of', 'children: of what is directly in the folder', Type.Enum(['entry', 'children']), 'children'),
    ],
    responses: { 200: jsonAnswer('The locks', { schema: Locks, example: { Locks: [exampleLock] } }) },
    refusals: ['EntryNotFound', 'InvalidField'],
  },
};

function readOf(text: string | null): 'entry' | 'children' {
  if (text === null || text === 'entry') return 'entry';
  if (text === 'children') return text;
  throw new Refusal('InvalidField', 'of must be entry or children.', { target: 'of' });
}
