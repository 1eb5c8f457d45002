// `GET /search`.

import { type Caller, toFolderId } from '../../domain/caller.ts';
import type { Kind } from '../../domain/entry.ts';
import { toSortedProperties } from '../../domain/properties.ts';
import { Refusal } from '../../domain/refusal.ts';
import { type SearchCursor, type SearchRequest, search } from '../../operations/search.ts';
import { json } from '../answer.ts';
import { answerHeaders, headers, jsonAnswer, query as parameter } from '../openapi/description.ts';
import { exampleFile } from '../openapi/examples.ts';
import { Type } from '../openapi/json-schema.ts';
import { SearchResults } from '../openapi/schemas.ts';
import { pageParameters, readPage, toFilteredName, toNextLink } from '../pages.ts';
import type { CallerRoute } from '../route.ts';
import { renderResults } from '../wire.ts';

const path = '/search';
const propertyPrefix = 'property.';

export type PageCursor = [stage: number, before: number | null, entry: number | null, score: number | null];

export const searchRoute: CallerRoute = {
  method: 'GET',
  path: `/v1/contentmanagement${path}`,
  action: 'read',
  async handle(context, { query: readQuery }, caller) {
    const query = readQuery();
    const filter = readFilter(query);
    const list = toList(caller, filter);
    const { limit, after } = readPage<PageCursor>(context, list, query);
    const request = { ...filter, limit, after: after === null ? null : toSearchCursor(after) };
    const { results, next } = await search(context.cabinet, caller, request);
    return json(
      renderResults(results),
      toNextLink(context, { path, list, query }, next === null ? null : toPageCursor(next)),
    );
  },
  describe: {
    operationId: 'SearchGet',
    tag: 'Search',
    summary: 'Search names, properties and the text of documents',
    description: `Words must all occur, in any order and anywhere in an entry: in its name, its properties, its object type or the
text of its current version. \`inv*\` finds words that begin so, \`"two words"\` finds them one after the other. Case and
diacritics do not matter. Entries whose names have all the words come first; within a kind the best matches first.

With \`match=part\`, \`q\` is a part of a name and has no syntax: \`img_20\` finds \`IMG_2000.jpg\`. Names that begin with it come
first within a slice of the newest entries.

\`Snippet\` is HTML: escaped text with \`<mark>\` around what was found. What is saved can be found a moment later. A page may
be shorter than \`limit\`, even empty, and still have a next one.`,
    parameters: [
      { ...parameter('q', 'What to look for'), required: true, example: 'invoice "acme corp" 202*' },
      parameter(
        'match',
        'words: all words of q, anywhere; part: names that contain q, also within a word',
        Type.Enum(['words', 'part'], { default: 'words' }),
        'part',
      ),
      parameter('type', 'Folders or files only', Type.Enum(['folder', 'file']), 'file'),
      parameter('contentType', 'Only of this content type, or of a kind such as image/*', undefined, 'application/pdf'),
      parameter('folder', 'Only what lies beneath this folder, at any depth; -root- for all', undefined, '-root-'),
      parameter(
        'modifiedAfter',
        'Only what was modified later',
        Type.String({ format: 'date-time' }),
        '2026-01-01T00:00:00Z',
      ),
      parameter(
        'property.KEY',
        'Only where the property KEY has this value; may be given for several keys',
        undefined,
        '4711',
      ),
      headers.spaceId,
      ...pageParameters(),
    ],
    responses: {
      200: jsonAnswer('What was found, best first', {
        schema: SearchResults,
        example: {
          Results: [
            {
              Entry: exampleFile,
              Path: '/Invoices/a.pdf',
              Snippet: '… the <mark>invoice</mark> of <mark>ACME Corp</mark> of <mark>2026</mark> …',
            },
          ],
        },
        headers: answerHeaders.link,
      }),
    },
    refusals: ['InvalidField', 'FolderNotFound', 'NotAFolder'],
  },
};

type SearchFilter = Omit<SearchRequest, 'limit' | 'after'>;

function readFilter(query: URLSearchParams): SearchFilter {
  return {
    text: query.get('q'),
    match: readMatch(query.get('match')),
    folderId: query.get('folder'),
    kind: readKind(query.get('type')),
    contentType: readContentType(query.get('contentType')),
    modifiedAfter: readTime(query.get('modifiedAfter')),
    properties: readProperties(query),
  };
}

/** The folder implies the space. Without one, it is the root. */
function toList(caller: Caller, { folderId, properties, ...filters }: SearchFilter): string {
  const list = `search ${toFolderId(caller, folderId)}`;
  return toFilteredName(list, { ...filters, properties: toSortedProperties(properties) });
}

export function toSearchCursor([stage, before, entry, score]: PageCursor): SearchCursor {
  return { stage, before, last: entry === null || score === null ? null : { entry, score } };
}

export function toPageCursor({ stage, before, last }: SearchCursor): PageCursor {
  return [stage, before, last?.entry ?? null, last?.score ?? null];
}

function readMatch(text: string | null): NonNullable<SearchRequest['match']> {
  if (text === null || text === 'words' || text === 'part') return text ?? 'words';
  throw new Refusal('InvalidField', 'match must be words or part.', { target: 'match' });
}

function readKind(text: string | null): Kind | null {
  if (text === null || text === 'folder' || text === 'file') return text;
  throw new Refusal('InvalidField', 'type must be folder or file.', { target: 'type' });
}

function readContentType(text: string | null): string | null {
  if (text === null) return null;
  const essence = text.trim().toLowerCase();
  if (/^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+$/.test(essence)) return essence;
  throw new Refusal('InvalidField', 'contentType must be a media type, such as text/plain or image/*.', {
    target: 'contentType',
  });
}

/** RFC 3339, or a date, which means midnight UTC. */
function readTime(text: string | null): number | null {
  if (text === null) return null;
  const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;
  const ms = form.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(ms)) return ms;
  throw new Refusal('InvalidField', 'modifiedAfter must be a time such as 2026-01-15T09:30:00Z, or a day.', {
    target: 'modifiedAfter',
    hint: 'A plus sign in an address stands for a space: write +02:00 as %2B02:00.',
  });
}

function readProperties(query: URLSearchParams): Record<string, string> {
  const properties = [...query].filter(([name]) => name.startsWith(propertyPrefix));
  return Object.fromEntries(properties.map(([name, value]) => [name.slice(propertyPrefix.length), value]));
}
