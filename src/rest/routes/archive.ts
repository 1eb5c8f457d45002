// `GET /folders/{id}/archive`: downloads a folder and everything in it as a ZIP. Its length is not known in advance.

import { writeZip } from '../../archive/zip.ts';
import { toFolderId } from '../../domain/caller.ts';
import { type OpenedArchive, openArchive } from '../../operations/open-archive.ts';
import { toSafeHeaders } from '../downloads/download.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { bytesAnswer, headers, pathId } from '../openapi/description.ts';
import type { CallerRoute } from '../route.ts';

export const openArchiveRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/folders/{id}/archive',
  action: 'read',
  async handle(context, { parameters }, caller) {
    const folderId = toFolderId(caller, parameters.id ?? '');
    const archive = await openArchive(context.cabinet, caller, { folderId });
    return {
      status: 200,
      headers: { 'Content-Type': 'application/zip', ...toSafeHeaders(`${archive.folder.name}.zip`) },
      body: write(context, archive),
    };
  },
  describe: {
    operationId: 'FoldersArchiveGet',
    tag: 'Folders',
    summary: 'A folder with all that is beneath it, as a ZIP',
    description:
      'Streamed, without `Content-Length`. Paths are relative to the folder; empty folders are there too; nothing is ' +
      'compressed. The tree is read while it is sent: what is gone when its turn comes is left out. Every byte is verified; ' +
      'if one is damaged the connection breaks, and what arrived has no directory and opens nowhere as a whole.',
    parameters: [pathId('The folder; -root- for the root'), headers.spaceId],
    responses: { 200: bytesAnswer('The archive', 'application/zip') },
    refusals: ['FolderNotFound', 'NotAFolder', 'TooManyRequests'],
  },
};

/** Holds a slot while the archive is read. */
async function* write({ archives }: EnvironmentContext, archive: OpenedArchive): AsyncGenerator<Buffer> {
  const release = archives.take();
  try {
    yield* writeZip(archive.entries());
  } finally {
    release();
  }
}
