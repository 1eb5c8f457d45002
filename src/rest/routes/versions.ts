// `GET /files/{id}/versions`, and restoring, removing and commenting a version.

import { versionNotFound } from '../../domain/missing.ts';
import {
  admitVersion,
  commentVersion,
  listVersions,
  removeVersion,
  restoreVersion,
} from '../../operations/versions.ts';
import { json } from '../answer.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import {
  answerHeaders,
  ids,
  jsonAnswer,
  jsonBody,
  type Parameter,
  preconditionHeaders,
} from '../openapi/description.ts';
import { CommentVersion, Version, VersionPage } from '../openapi/entry-schemas.ts';
import { exampleIds } from '../openapi/examples.ts';
import { Type } from '../openapi/json-schema.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { pageParameters, readPage, toNextLink } from '../pages.ts';
import { checkComment } from '../parameters.ts';
import { readPrecondition } from '../preconditions.ts';
import type { CallerExchange, CallerRoute } from '../route.ts';
import { renderVersion, renderVersions } from '../wire.ts';
import { shownResponses, toEntryAnswer } from './entries.ts';

const exampleVersion = {
  Version: 2,
  Size: 47990,
  ContentType: 'application/pdf',
  Sha256: exampleIds.sha256,
  CreatedAt: '2026-01-20T10:00:00.000Z',
  CreatedBy: 'app:backoffice',
  Comment: 'signed',
};

export const listVersionsRoute: CallerRoute = {
  method: 'GET',
  path: '/v1/contentmanagement/files/{id}/versions',
  action: 'read',
  async handle(context, { parameters, query: readQuery }, caller) {
    const fileId = parameters.id ?? '';
    const query = readQuery();
    const list = `versions ${fileId}`;
    const { limit, after } = readPage<readonly [below: number]>(context, list, query);
    const page = await listVersions(context.cabinet, caller, { fileId, below: after?.[0] ?? null, limit });
    const last = page.hasMore ? page.versions.at(-1) : undefined;
    const path = `/files/${fileId}/versions`;
    const next = last === undefined ? null : [last.version];
    return json(renderVersions(page.versions), toNextLink(context, { path, list, query }, next));
  },
  describe: {
    operationId: 'VersionsGet',
    tag: 'Versions',
    summary: 'List the versions of a file, newest first',
    description: 'The first is the current one. `GET /files/{id}/content?version=N` returns the bytes of any of them.',
    parameters: [ids.file, ...pageParameters()],
    responses: {
      200: jsonAnswer('A page of versions', {
        schema: VersionPage,
        example: { Versions: [exampleVersion] },
        headers: answerHeaders.link,
      }),
    },
    refusals: ['FileNotFound'],
  },
};

const versionNumber: Parameter = {
  name: 'version',
  in: 'path',
  required: true,
  description: 'The number of a version of the file',
  schema: Type.Integer({ minimum: 1 }),
  example: 2,
};

function readTarget({ request, parameters }: CallerExchange) {
  const text = parameters.version ?? '';
  if (!/^[1-9]\d{0,14}$/.test(text)) throw versionNotFound();
  return { fileId: parameters.id ?? '', version: Number(text), precondition: readPrecondition(request) };
}

export const restoreVersionRoute: CallerRoute = {
  method: 'POST',
  path: '/v1/contentmanagement/files/{id}/versions/{version}/restore',
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    return toEntryAnswer(await restoreVersion(cabinet, caller, readTarget(exchange)));
  },
  describe: {
    operationId: 'VersionsRestore',
    tag: 'Versions',
    summary: 'Restore an old version as a new one',
    description: 'If its bytes are those of the current version, nothing changes.',
    parameters: [ids.file, versionNumber, ...preconditionHeaders],
    responses: shownResponses('The file, with the content of that version as a new one'),
    refusals: ['FileNotFound', 'Locked', 'PreconditionFailed', 'QuotaExceeded', 'VersionNotFound'],
  },
};

export const removeVersionRoute: CallerRoute = {
  method: 'DELETE',
  path: '/v1/contentmanagement/files/{id}/versions/{version}',
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    return toEntryAnswer(await removeVersion(cabinet, caller, readTarget(exchange)));
  },
  describe: {
    operationId: 'VersionsRemove',
    tag: 'Versions',
    summary: 'Remove an old version for good',
    description: 'Its number is not used again. The current version cannot be removed.',
    parameters: [ids.file, versionNumber, ...preconditionHeaders],
    responses: shownResponses('The file, without that version'),
    refusals: ['FileNotFound', 'PreconditionFailed', 'VersionIsCurrent', 'VersionNotFound'],
  },
};

const checkCommentBody = compileCheck(CommentVersion);

export const commentVersionRoute: CallerRoute = {
  method: 'PATCH',
  path: '/v1/contentmanagement/files/{id}/versions/{version}',
  action: 'write',
  async handle({ cabinet }, exchange, caller) {
    const target = readTarget(exchange);
    await admitVersion(cabinet, caller, target);
    const { Comment } = checkCommentBody(await readJsonBody(exchange, { example: '{"Comment": "signed"}' }));
    const comment = Comment === null ? null : checkComment(Comment);
    return json(renderVersion(await commentVersion(cabinet, await exchange.renewCaller(), { ...target, comment })));
  },
  describe: {
    operationId: 'VersionsComment',
    tag: 'Versions',
    summary: "Edit a version's comment",
    description: 'A line that is shown in the list of versions; `null` removes it.',
    parameters: [ids.file, versionNumber, ...preconditionHeaders],
    requestBody: jsonBody('The comment', CommentVersion, { Comment: 'signed' }),
    responses: { 200: jsonAnswer('The version', { schema: Version, example: exampleVersion }) },
    refusals: ['FileNotFound', 'InvalidBody', 'InvalidField', 'PreconditionFailed', 'VersionNotFound'],
  },
};
