// `GET /changes`: the change feed.

import type { FeedChange } from '../../catalog/verbs/changes.ts';
import type { Caller } from '../../domain/caller.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Answer } from '../../listener/answer.ts';
import { followChanges, showSnapshot } from '../../operations/follow-changes.ts';
import { json } from '../answer.ts';
import { toCursorText } from '../cursor.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { headers, jsonAnswer, type Parameter, query as queryParameter } from '../openapi/description.ts';
import { ChangesPage } from '../openapi/entry-schemas.ts';
import { exampleFile, exampleIds } from '../openapi/examples.ts';
import { Type } from '../openapi/json-schema.ts';
import { pageParameters, readPage, toListName } from '../pages.ts';
import type { CallerExchange, CallerRoute } from '../route.ts';
import { renderChanges } from '../wire.ts';

const maxWaitSeconds = 60;

/** In the changes: the last position of the journal that the client has seen, and null. In the snapshot: the position where
 *  the changes start after it, and the number of the last entry that was listed. */
type FeedCursor = readonly [position: number, entry: number | null];

export const changesRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/changes',
  action: 'read',
  async handle(context, exchange, caller): Promise<Answer> {
    const query = exchange.query();
    const list = toListName(caller, 'changes');
    const { limit, after } = readPage<FeedCursor>(context, list, query);
    const waitMs = readWait(query.get('wait')) * 1000;
    const start = after ?? (await findStart(context, caller, query.get('from')));
    const [position, entry] = start ?? [null, null];
    const page =
      position !== null && entry !== null
        ? await listSnapshot(context, caller, { position, entry, limit })
        : await listChanges(context, caller, {
            after: position,
            limit,
            waitMs,
            isOver: () => isDisconnected(exchange) || !context.isReady(),
            renewCaller: exchange.renewCaller,
          });
    return json(renderChanges(page.changes, toCursorText(context.cursorKey, list, page.next)));
  },
  describe: {
    operationId: 'ChangesGet',
    tag: 'Changes',
    summary: 'List every change in a space, in order',
    description:
      'Without gaps and without repeats; continue with the `Cursor` of the response. `Entry`, `ParentFolderId` and ' +
      '`Trashed` show the current state; `Entry` is absent once it is gone for good. A folder that is trashed, ' +
      'restored, moved or removed is one change, for everything beneath it. Keep a map by `EntryId`: what reaches ' +
      'the root over `ParentFolderId` is the tree.',
    parameters: [
      {
        ...(pageParameters()[0] as Parameter),
        description: 'From the answer before; absent: from the oldest change that is kept',
      },
      pageParameters()[1] as Parameter,
      queryParameter(
        'wait',
        'How many seconds to wait while there is nothing new',
        Type.Integer({ minimum: 0, maximum: maxWaitSeconds }),
        30,
      ),
      queryParameter(
        'from',
        'Where to begin without a cursor. now: only what comes. snapshot: first everything as it is (Action present), then the changes since',
        Type.Enum(['now', 'snapshot']),
        'now',
      ),
      headers.spaceId,
    ],
    responses: {
      200: jsonAnswer('The changes, and where to go on', {
        schema: ChangesPage,
        example: {
          Changes: [
            {
              Position: 118,
              At: '2026-01-15T09:31:12.004Z',
              By: 'app:backoffice',
              Action: 'file.created',
              EntryId: exampleIds.file,
              ParentFolderId: exampleIds.folder,
              Entry: exampleFile,
            },
          ],
          Cursor: 'WyJjaGFuZ2VzIiwxMThd.c2lnbmVk',
        },
      }),
    },
    refusals: ['CursorExpired', 'InvalidCursor', 'InvalidField'],
  },
};

/** A client that has closed its sending side is gone, or does not wait for news. */
function isDisconnected({ request, response }: CallerExchange): boolean {
  return response.destroyed || request.socket.readableEnded;
}

function readWait(text: string | null): number {
  const wait = text === null ? 0 : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (wait <= maxWaitSeconds) return wait;
  throw new Refusal('InvalidField', `wait must be a number of seconds from 0 to ${maxWaitSeconds}.`, {
    target: 'wait',
  });
}

async function findStart(
  { cabinet }: EnvironmentContext,
  caller: Caller,
  from: string | null,
): Promise<FeedCursor | null> {
  if (from === null) return null;
  if (from !== 'now' && from !== 'snapshot') {
    throw new Refusal('InvalidField', `from cannot be ${JSON.stringify(from)}.`, {
      target: 'from',
      hint: 'Send from=now, from=snapshot, or a cursor.',
    });
  }
  const { position } = await showSnapshot(cabinet, caller, { after: 0, limit: 1 });
  return [position, from === 'now' ? null : 0];
}

interface FeedPage {
  changes: FeedChange[];
  next: FeedCursor;
}

async function listSnapshot(
  { cabinet }: EnvironmentContext,
  caller: Caller,
  { position, entry, limit }: { position: number; entry: number; limit: number },
): Promise<FeedPage> {
  const page = await showSnapshot(cabinet, caller, { after: entry, limit });
  const changes = page.entries.map((now) => {
    const { id: entryId, modifiedAt: at, modifiedBy: by } = now.entry;
    return { position, at, by, action: 'present', entryId, now };
  });
  return { changes, next: [position, page.next] };
}

async function listChanges(
  { cabinet }: EnvironmentContext,
  caller: Caller,
  filter: Parameters<typeof followChanges>[2],
): Promise<FeedPage> {
  const page = await followChanges(cabinet, caller, filter);
  return { changes: page.changes, next: [page.upTo, null] };
}
