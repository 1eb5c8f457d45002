// Reads a small JSON object from the body of a request, and the headers that go with it.

import type { IncomingMessage } from 'node:http';
import { readMediaType } from '../../domain/content-type.ts';
import { type ConflictBehavior, conflictBehaviors } from '../../domain/entry.ts';
import { Refusal } from '../../domain/refusal.ts';
import {
  checkConflictBehavior,
  checkEncoding,
  readDeclaredBytes,
  readHeader,
  readMd5,
  readSha256,
} from '../parameters.ts';
import type { CallerExchange } from '../route.ts';
import { invalidBody, parseObject, readWhole, smallBodyBytes } from './json.ts';

/** `example` is shown in the hint of a refusal. With `isOptional`, an empty body counts as an empty object. */
export async function readJsonBody(
  { request, openBody, holdMemory }: CallerExchange,
  { example, isOptional = false }: { example: string; isOptional?: boolean },
): Promise<Record<string, unknown>> {
  checkEncoding(request);
  const hint = `Send a JSON object such as ${example}.`;
  const tooLarge = () => invalidBody(`The body has more than ${smallBodyBytes} bytes.`, hint);
  // Some clients send a content type with an empty body: curl -d '', and fetch with an empty string.
  const type = isOptional && hasNoBody(request) ? null : readHeader(request, 'content-type');
  if (type !== null && type !== '' && !isJsonType(readMediaType(type)?.essence ?? '')) {
    throw invalidBody('The content type of the body must be application/json.', hint);
  }
  const declaredBytes = readDeclaredBytes(request) ?? smallBodyBytes;
  if (declaredBytes > smallBodyBytes) throw tooLarge();
  const digests = { sha256: readSha256(request, 'content-digest'), md5: readMd5(request) };
  await holdMemory(hasNoBody(request) ? 0 : declaredBytes);
  const body = await readWhole(openBody(digests), smallBodyBytes, tooLarge);
  if (body.length === 0 && isOptional) return {};
  return parseObject(body, hint);
}

/** Also accepts `application/merge-patch+json` and the like, and the default content type of curl -d. */
function isJsonType(essence: string): boolean {
  return essence === 'application/json' || essence.endsWith('+json') || essence === 'application/x-www-form-urlencoded';
}

function hasNoBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] === undefined && (readDeclaredBytes(request) ?? 0) === 0;
}

/** `ConflictBehavior` is a header, and also a field of JSON bodies; the header wins, and is checked before the body is read.
 *  Null: the header is absent. */
export function readConflictHeader(
  { request }: CallerExchange,
  choices: readonly ConflictBehavior[],
): ConflictBehavior | null {
  const header = readHeader(request, 'conflictbehavior');
  return header === null ? null : checkConflictAmong(choices, header);
}

export function checkConflictAmong(choices: readonly ConflictBehavior[], value: string | undefined): ConflictBehavior {
  const conflict = checkConflictBehavior(value ?? null) ?? 'Fail';
  if (choices.includes(conflict)) return conflict;
  throw new Refusal('InvalidField', `ConflictBehavior cannot be ${conflict} here.`, {
    target: 'ConflictBehavior',
    hint: `Send one of ${conflictBehaviors.filter((known) => choices.includes(known)).join(', ')}.`,
  });
}
