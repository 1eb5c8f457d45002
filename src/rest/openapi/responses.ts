// The responses of an operation: its successes, and its refusals grouped by status, with their headers and examples.

import type { RefusalCode } from '../../domain/refusal.ts';
import { toStatus } from '../answer.ts';
import type { Route } from '../route.ts';
import { type Components, type Json, withTrackingId } from './components.ts';
import type { Description, MediaType, ResponseDescription } from './description.ts';
import { toRefusalExample } from './examples.ts';
import { answerHeader, type HeaderReference } from './headers.ts';
import { ErrorAnswer } from './schemas.ts';

/** Refusals that every request can get. */
const anyRequest: readonly RefusalCode[] = [
  'DuplicateHeader',
  'HeadersTooLarge',
  'InternalError',
  'InvalidHeader',
  'MalformedRequest',
];

/** Refusals that every request with credentials can get. */
const anyCaller: readonly RefusalCode[] = [
  'AppKeyMismatch',
  'AppKeyMissing',
  'AppKeyUnknown',
  'CertificateInvalid',
  'Forbidden',
  'InsufficientScope',
  'IssuerUnavailable',
  'MutualTlsNotAllowed',
  'MutualTlsRequired',
  'SpaceNotFound',
  'StorageUnavailable',
  'TokenInvalid',
  'TokenMissing',
  'TooManyRequests',
];

const anyWrite: readonly RefusalCode[] = ['ShuttingDown', 'StorageFull'];
const anyBody: readonly RefusalCode[] = [
  'DigestMismatch',
  'InvalidBody',
  'InvalidField',
  'UnsupportedEncoding',
  'UploadTooSlow',
];

/** Refusals that a parameter can cause, by its name. */
const impliedBy: Record<string, readonly RefusalCode[]> = {
  Comment: ['InvalidField'],
  ConflictBehavior: ['InvalidField', 'NameAlreadyExists'],
  'Idempotency-Key': ['IdempotencyKeyReused'],
  SpaceId: ['SpaceMissing', 'SpaceNotFound'],
  cursor: ['InvalidCursor'],
};

export function listRefusals({ action, describe }: Route): RefusalCode[] {
  const { parameters = [], requestBody, refusals = [] } = describe;
  const isOpen = action === null || action === 'foreign';
  const codes = new Set([
    ...anyRequest,
    ...(isOpen ? [] : anyCaller),
    ...(isOpen || action === 'read' ? [] : anyWrite),
    ...(requestBody === undefined ? [] : anyBody),
    ...parameters.flatMap(({ name }) => impliedBy[name] ?? []),
    ...(parameters.some((parameter) => parameter.in === 'query') ? (['InvalidField'] as const) : []),
    ...refusals,
  ]);
  return [...codes].sort();
}

export function toResponses(route: Route, responses: Description['responses'], components: Components): Json {
  const common = answerHeader(...(route.describe.everyAnswer ?? []));
  const answers: Json = {};
  const refusals = groupByStatus(route);
  for (const [status, response] of Object.entries(responses)) {
    if (status in refusals) continue;
    const whole = { ...response, headers: { ...common, ...response.headers } };
    // A 200 is an operation's own.
    answers[status] = status === '200' ? withTrackingId(whole) : components.addResponse(`Answer${status}`, whole);
  }
  for (const [status, codes = []] of Object.entries(refusals)) {
    const refusal = toRefusalResponse(codes, { status, common, components });
    const own = responses[Number(status)];
    answers[status] =
      own === undefined
        ? components.addRefusal(status, refusal)
        : components.addResponse(`Answer${status}`, merge(own, refusal));
  }
  if (!hasSuccess(answers)) answers.default = components.addResponse('AnythingElse', anythingElse);
  return answers;
}

/** The answers to `HEAD` are those to `GET` without their bodies. */
export function toHeadResponses(route: Route, components: Components): Json {
  const common = answerHeader(...(route.describe.everyAnswer ?? []));
  const answers: Json = {};
  for (const [status, response] of Object.entries(route.describe.headResponses ?? route.describe.responses))
    answers[status] = components.addResponse(
      `Head${status}`,
      withoutBody({ ...response, headers: { ...common, ...response.headers } }),
    );
  for (const [status, codes = []] of Object.entries(groupByStatus(route)))
    answers[status] ??= components.addRefusal(
      status,
      withoutBody(toRefusalResponse(codes, { status, common, components })),
    );
  if (!hasSuccess(answers)) answers.default = components.addResponse('AnythingElse', withoutBody(anythingElse));
  return answers;
}

/** Steps of a sign-in only redirect; linters ask for a success or a default. */
function hasSuccess(answers: Json): boolean {
  return Object.keys(answers).some((status) => status.startsWith('2'));
}

const anythingElse: ResponseDescription = {
  description: 'Any other answer is an error',
  content: { 'application/json': { schema: ErrorAnswer, example: toRefusalExample('InternalError') } },
};

function withoutBody({ description, headers }: ResponseDescription): ResponseDescription {
  return { description: `${description} (headers only)`, ...(headers !== undefined && { headers }) };
}

function groupByStatus(route: Route): Partial<Record<string, RefusalCode[]>> {
  const { statuses } = route.describe;
  return Object.groupBy(listRefusals(route), (code) => String(statuses?.[code] ?? toStatus(code)));
}

interface RefusalContext {
  status: string;
  common: Record<string, HeaderReference>;
  components: Components;
}

function toRefusalResponse(
  codes: readonly RefusalCode[],
  { status, common, components }: RefusalContext,
): ResponseDescription {
  const examples = Object.fromEntries(codes.map((code) => [code, components.addExample(code)]));
  return {
    description: `${codes.map((code) => `\`${code}\``).join(', ')}${describeProtocols(common)}`,
    headers: { ...common, ...toRefusalHeaders(status, codes) },
    content: { 'application/json': { schema: ErrorAnswer, examples } },
  };
}

/** Refusals of uploads have the headers by which a client finds out where to go on. */
function describeProtocols(common: Record<string, HeaderReference>): string {
  const protocols = [
    ...('Tus-Resumable' in common ? ['tus'] : []),
    ...('Upload-Complete' in common ? ['the IETF draft'] : []),
  ];
  return protocols.length === 0 ? '' : `; with the headers of ${protocols.join(' and ')}`;
}

/** Refusals after which the same request may succeed. */
const transient: ReadonlySet<RefusalCode> = new Set([
  'InternalError',
  'IssuerUnavailable',
  'ShuttingDown',
  'StorageFull',
  'StorageUnavailable',
  'TooManyRequests',
  'TooManyUploads',
]);

function toRefusalHeaders(status: string, codes: readonly RefusalCode[]): Record<string, HeaderReference> {
  const isChallenge = status === '401' || codes.includes('InsufficientScope');
  return {
    ...(isChallenge && answerHeader('WWW-Authenticate')),
    ...(codes.some((code) => transient.has(code)) && answerHeader('Retry-After')),
  };
}

/** For a status that both a refusal and a page or an answer of another standard can have. */
function merge(own: ResponseDescription, refusal: ResponseDescription): ResponseDescription {
  const [ours, theirs] = [refusal.content?.['application/json'], own.content?.['application/json']];
  const both: MediaType | undefined = theirs && {
    // Generators join the fields of `anyOf` in one type.
    schema: { oneOf: [theirs.schema, ours?.schema] },
    examples: { Other: { summary: own.description, value: theirs.example }, ...ours?.examples },
  };
  const json = both ?? ours;
  const content = { ...own.content, ...(json !== undefined && { 'application/json': json }) };
  const description = `${own.description}; or ${refusal.description}`;
  return { ...own, description, content, headers: { ...refusal.headers, ...own.headers } };
}
