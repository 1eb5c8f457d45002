// `POST /files/{id}/link` makes a link that needs no headers; `GET /links/{token}` opens it. Its path is outside
// /v1/contentmanagement, because everything in there needs credentials.

import { encryptLink, openLink } from '../../auth/links.ts';
import type { Caller } from '../../domain/caller.ts';
import {
  defaultLinkSeconds,
  endLinks,
  type LinkedVersion,
  linkFile,
  linkNotFound,
  maxLinkSeconds,
  openLinked,
  recordLinkUse,
} from '../../operations/link-file.ts';
import { requireContent } from '../../operations/open-file.ts';
import { json } from '../answer.ts';
import { readJsonBody } from '../bodies/json-body.ts';
import { answerDownload, type Disposition } from '../downloads/download.ts';
import type { EnvironmentContext } from '../environment-context.ts';
import { downloadAnswers, header, ids, jsonAnswer, jsonBody, pathId } from '../openapi/description.ts';
import { exampleETag } from '../openapi/examples.ts';
import { Type } from '../openapi/json-schema.ts';
import { Nothing } from '../openapi/me-schemas.ts';
import { compileCheck, Timestamp } from '../openapi/schemas.ts';
import type { CallerRoute, OpenRoute } from '../route.ts';
import { renderTime } from '../wire.ts';

export const LinkFile = Type.Object(
  {
    ExpiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxLinkSeconds,
        default: defaultLinkSeconds,
        description: 'How long the link works.',
      }),
    ),
    Version: Type.Optional(
      Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The current one by default.' }),
    ),
    Disposition: Type.Optional(
      Type.Enum(['attachment', 'inline'], {
        default: 'attachment',
        description: '`inline`: browsers may show the file.',
      }),
    ),
  },
  { title: 'LinkFile', description: 'How long, which version, and whether to show it.' },
);

const Link = Type.Object(
  {
    Url: Type.String({ format: 'uri', description: 'Opens the file without credentials.' }),
    ExpiresAt: Timestamp,
  },
  { title: 'Link', description: 'A short-lived address.', additionalProperties: false },
);

const example = { ExpiresInSeconds: 300, Disposition: 'inline' };
const checkLinkFile = compileCheck(LinkFile);

export const linkFileRoute: CallerRoute = {
  method: 'POST',
  path: '/v1/contentmanagement/files/{id}/link',
  action: 'read',
  async handle(context, exchange, firstCaller) {
    const fileId = exchange.parameters.id ?? '';
    await requireContent(context.cabinet, firstCaller, { fileId, version: null });
    const body = await readJsonBody(exchange, { example: JSON.stringify(example), isOptional: true });
    const { ExpiresInSeconds = defaultLinkSeconds, Version = null, Disposition = 'attachment' } = checkLinkFile(body);
    const caller = await exchange.renewCaller();
    const linked = await linkFile(context.cabinet, caller, {
      fileId,
      version: Version,
      lifetimeSeconds: ExpiresInSeconds,
    });
    const url = toLinkUrl(context, caller, { ...linked, disposition: Disposition as Disposition });
    return json(JSON.stringify({ Url: url, ExpiresAt: renderTime(linked.expiresAt) }));
  },
  describe: {
    operationId: 'FilesLinkPost',
    tag: 'Files',
    summary: 'Create a short-lived link to one version',
    description:
      'For clients that cannot send headers: an image or a video of a page, a mail. Anyone who has the address can ' +
      'read that version until the link expires. It ends early when the application or person that created it may no ' +
      'longer read the file, signs out, or ends it (`DELETE`). Creating and using it is in the journal. A link that ' +
      'an application of kind `server` creates is served on the mutual-TLS address, to the certificates of that ' +
      'application.',
    parameters: [ids.file],
    requestBody: { ...jsonBody('How long, which version, and whether to show it', LinkFile, example), required: false },
    responses: {
      200: jsonAnswer('The address, and until when it works', {
        schema: Link,
        example: { Url: 'http://127.0.0.1:8080/links/Zm9vYmFy.c2lnbmVk', ExpiresAt: '2026-01-15T09:31:00.123Z' },
      }),
    },
    refusals: ['FileNotFound', 'VersionNotFound'],
  },
};

export const endLinksRoute: CallerRoute = {
  method: 'DELETE',
  path: '/v1/contentmanagement/files/{id}/link',
  action: 'read',
  async handle({ cabinet }, { parameters }, caller) {
    await endLinks(cabinet, caller, parameters.id ?? '');
    return json('{}');
  },
  describe: {
    operationId: 'FilesLinkDelete',
    tag: 'Files',
    summary: 'End the short-lived links to a file',
    description:
      'Those that you created, or everyone’s if you manage the space (role `manager`, or an application with ' +
      '`content.admin`). They end at once. It is no error if there are none.',
    parameters: [ids.file],
    responses: { 200: jsonAnswer('They have ended', { schema: Nothing, example: {} }) },
    refusals: ['FileNotFound'],
  },
};

export function toLinkUrl(
  context: EnvironmentContext,
  { appKey, person, actor, signIn }: Caller,
  link: LinkedVersion & { disposition: Disposition },
): string {
  return `${context.publicUrl}/links/${encryptLink(context.linkKeys, { appKey, person, actor, signIn, ...link })}`;
}

export const openLinkRoute: OpenRoute = {
  method: 'GET',
  path: '/links/{token}',
  action: null,
  async handle({ cabinet, authenticator, linkKeys }, { request, parameters, arrival, requestId }) {
    const link = openLink(linkKeys, parameters.token ?? '', cabinet.clock.now());
    if (link === null) throw linkNotFound();
    const maker = await authenticator.findMaker(link, arrival, requestId);
    const file = await openLinked(cabinet, maker, link);
    await recordLinkUse(cabinet, link, { requestId, address: arrival.address });
    const answer = answerDownload(request, file, link.disposition);
    answer.headers['Referrer-Policy'] = 'no-referrer';
    return answer;
  },
  describe: {
    operationId: 'LinksGet',
    tag: 'Files',
    summary: 'Download by a short-lived link',
    description:
      'Needs no headers. Ranges and preconditions as for `GET /files/{id}/content`. Images, video, sound and plain ' +
      'text are shown if the link was created so; everything else is an attachment. A link that was edited, has ' +
      'expired or was revoked is always the same 404.',
    parameters: [
      pathId('What the address carries', 'token'),
      header('Range', 'One range of bytes or several; RFC 9110', 'bytes=0-99'),
      header('If-None-Match', '304 if the bytes are still those', exampleETag),
    ],
    responses: downloadAnswers('All bytes of the version that the link was made for'),
    refusals: ['LinkNotFound'],
  },
};
