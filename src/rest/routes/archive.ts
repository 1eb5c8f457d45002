// `GET /folders/{id}/archive` and `POST /archive`: download a folder, or a selection of entries, with everything in it as a ZIP.
// Its length is not known in advance.

import { writeZip } from '../../archive/zip.ts';
import { type Caller, toFolderId } from '../../domain/caller.ts';
import type { Answer } from '../../listener/answer.ts';
import { type OpenedArchive, openArchive, openSelection } from '../../operations/open-archive.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import { toSafeHeaders } from '../downloads/download.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { bytesAnswer, headers, jsonBody, pathId } from '../openapi/description.ts';
import { SelectEntries } from '../openapi/entry-schemas.ts';
import { exampleIds } from '../openapi/examples.ts';
import { answerHeader } from '../openapi/headers.ts';
import { compileCheck } from '../openapi/schemas.ts';
import type { CallerRoute } from '../route.ts';
import { tooManyArchives } from '../slots.ts';

export const openArchiveRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/folders/{id}/archive',
  action: 'read',
  async handle(context, { parameters }, caller) {
    const folderId = toFolderId(caller, parameters.id ?? '');
    const archive = await openArchive(context.cabinet, caller, { folderId });
    return toArchiveAnswer(context, caller, archive);
  },
  describe: {
    operationId: 'FoldersArchiveGet',
    tag: 'Folders',
    summary: 'Download a folder as a ZIP',
    description:
      'Streamed, without `Content-Length` and without compression. Paths are relative to the folder; empty folders ' +
      'are included. The tree is read while it is sent: what is deleted before its turn is left out. Every byte is ' +
      'verified. If one is damaged, the connection breaks, and the truncated ZIP cannot be opened.',
    parameters: [pathId('The folder; -root- for the root'), headers.spaceId],
    responses: {
      200: bytesAnswer('A ZIP with everything in the folder', 'application/zip', answerHeader('Content-Disposition')),
    },
    refusals: ['FolderNotFound', 'NotAFolder', 'TooManyRequests'],
  },
};

const checkSelection = compileCheck(SelectEntries);

export const archiveSelectionRoute: CallerRoute = {
  method: 'POST',
  path: '/v1/contentmanagement/archive',
  action: 'read',
  async handle(context, exchange, caller) {
    const fields = checkSelection(await readJsonBody(exchange, { example: '{"EntryIds": ["…", "…"]}' }));
    const archive = await openSelection(context.cabinet, await exchange.renewCaller(), { entryIds: fields.EntryIds });
    return toArchiveAnswer(context, caller, archive);
  },
  describe: {
    operationId: 'ArchivePost',
    tag: 'Entries',
    summary: 'Download a selection of entries as one ZIP',
    description:
      'Files, and folders with everything beneath them, in the order of the request and each once. Equal names are ' +
      'numbered: `a.pdf`, `a (2).pdf`. If an entry does not exist, the whole request is refused. Otherwise as the ' +
      'archive of a folder.',
    requestBody: jsonBody('What to download', SelectEntries, { EntryIds: [exampleIds.file, exampleIds.folder] }),
    responses: {
      200: bytesAnswer('A ZIP with the selected entries', 'application/zip', answerHeader('Content-Disposition')),
    },
    refusals: ['EntryNotFound', 'InvalidBody', 'InvalidField', 'TooManyRequests'],
  },
};

function toArchiveAnswer(context: EnvironmentContext, caller: Caller, archive: OpenedArchive): Answer {
  return {
    status: 200,
    headers: { 'Content-Type': 'application/zip', ...toSafeHeaders(`${archive.name}.zip`) },
    body: write(context, caller, archive),
  };
}

/** Holds a slot while the archive is read. */
async function* write(
  { archives }: EnvironmentContext,
  caller: Caller,
  archive: OpenedArchive,
): AsyncGenerator<Buffer> {
  const release = archives.take(caller, tooManyArchives);
  try {
    yield* writeZip(archive.entries());
  } finally {
    release();
  }
}
