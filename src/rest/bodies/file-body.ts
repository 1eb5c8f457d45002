// The body of `POST /files` in any of its four formats: multipart, multipart sent as JSON, base64 in JSON, or the bare bytes.
// Text fields may come before or after the file, so the bytes are received as they arrive, and the fields apply at the end.

import { checkMediaType, readMediaType } from '../../domain/content-type.ts';
import type { ConflictBehavior } from '../../domain/entry.ts';
import { checkObjectType, checkProperties } from '../../domain/properties.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { ReceivedContent } from '../../operations/receive-content.ts';
import { compileCheck, SaveFileJson } from '../openapi/schemas.ts';
import { checkConflictBehavior } from '../parameters.ts';
import { tinyBodyBytes } from './body-memory.ts';
import { invalidBody, parseObject, readWhole, smallBodyBytes, toText } from './json.ts';
import { checkBoundary, type Part, readParts, sniffBoundary } from './multipart.ts';

/** 16 MiB in base64, with room for the fields around it. */
const jsonContentBytes = 16 * 1024 * 1024;
const jsonBodyBytes = Math.ceil((jsonContentBytes * 4) / 3) + 1024 * 1024;
const textPartBytes = 512 * 1024;
const boundaryHeadBytes = 256;

const formatsHint =
  'Send multipart/form-data with a part named "filename", or JSON {"filename": "<base64>"}, or the bytes themselves under another content type.';

interface FileBody {
  received: ReceivedContent;
  /** The file name of the multipart part. */
  fileName: string | null;
  contentType: string | null;
  objectType: string | null;
  properties: Record<string, string> | null;
  conflict: ConflictBehavior | null;
}

/** Where the bytes of the file go. */
export interface Receiver {
  receive(bytes: AsyncIterable<Buffer>): Promise<ReceivedContent>;
  discard(received: ReceivedContent): Promise<void>;
  /** Called when a body that is held in memory turns out to be large. Throws when too many are. Returns the function to call
   *  when it is held no more. */
  takeSlot(): () => void;
  /** As of a `CallerExchange`. */
  holdMemory(bytes: number): Promise<void>;
}

/** The format of the body, according to the content type. */
export type BodyFormat =
  | { kind: 'multipart'; boundary: string }
  /** The first bytes decide between multipart and base64. */
  | { kind: 'json' }
  | { kind: 'bare'; contentType: string | null };

export function readBodyFormat(header: string | null): BodyFormat {
  const type = readMediaType(header ?? undefined);
  // A malformed multipart or JSON type: the body must not be saved as the file itself.
  if (type === null && /^\s*(multipart\/form-data|application\/json)(?![\w.+-])/i.test(header ?? '')) {
    throw invalidBody('The Content-Type cannot be read.', formatsHint);
  }
  const boundary = type?.parameters.get('boundary');
  const isMultipart = type?.essence === 'multipart/form-data';
  if (isMultipart || (type?.essence === 'application/json' && boundary !== undefined)) {
    if (boundary === undefined) throw invalidBody('The multipart body has no boundary parameter.', formatsHint);
    checkBoundary(boundary);
    return { kind: 'multipart', boundary };
  }
  if (type?.essence === 'application/json') return { kind: 'json' };
  return { kind: 'bare', contentType: type === null || header === null ? null : header.trim() };
}

export async function readFileBody(
  body: AsyncIterable<Buffer>,
  format: BodyFormat,
  receiver: Receiver,
): Promise<FileBody> {
  if (format.kind === 'multipart') return await readMultipart(body, format.boundary, receiver);
  if (format.kind === 'json') return await readUnderJson(body, receiver);
  return { ...noFields, received: await receiver.receive(body), contentType: format.contentType };
}

const noFields = { fileName: null, contentType: null, objectType: null, properties: null, conflict: null };

/** Some clients send multipart bodies with the content type `application/json`. */
async function readUnderJson(body: AsyncIterable<Buffer>, receiver: Receiver): Promise<FileBody> {
  const source = body[Symbol.asyncIterator]();
  const head = await readHead(source);
  const whole = chain(head, source);
  const sniffed = sniffBoundary(head);
  if (sniffed !== null) return await readMultipart(whole, sniffed, receiver);
  return await readJson(whole, receiver);
}

async function readHead(source: AsyncIterator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < boundaryHeadBytes) {
    const next = await source.next();
    if (next.done) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return head;
}

async function* chain(head: Buffer, source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield head;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}

async function readMultipart(body: AsyncIterable<Buffer>, boundary: string, receiver: Receiver): Promise<FileBody> {
  const fields = new Map<string, string>();
  let file: { received: ReceivedContent; fileName: string | null; contentType: string | null } | null = null;
  // A file in an unknown part is refused rather than ignored; the empty file field of a form does not count.
  let hasUnknownFile = false;
  let isHeld = false;
  const hold = async () => {
    if (!isHeld) await receiver.holdMemory(textPartBytes * textParts.size);
    isHeld = true;
  };
  try {
    for await (const part of readParts(body, boundary)) {
      if (part.name === 'filename' || part.name === 'file') {
        if (file !== null) throw tooManyAttachments();
        file = { received: await receiver.receive(part.body), fileName: part.fileName, contentType: part.contentType };
      } else if (part.name !== null && textParts.has(part.name)) {
        // It would be unclear which of the two counts.
        if (fields.has(part.name)) throw invalidBody(`The body has two parts named "${part.name}".`, formatsHint);
        fields.set(part.name, await readTextPart(part, hold));
      } else if (part.fileName !== null && part.fileName !== '') hasUnknownFile = true;
    }
    if (file === null) throw attachmentMissing();
    if (hasUnknownFile) throw tooManyAttachments();
    return { ...file, ...readFields(fields, file.contentType), fileName: file.fileName === '' ? null : file.fileName };
  } catch (error) {
    if (file !== null) await receiver.discard(file.received);
    throw error;
  }
}

const textParts = new Set(['Properties', 'ObjectType', 'ContentType']);

async function readTextPart({ name, body }: Part, hold: () => Promise<void>): Promise<string> {
  const tooLarge = () => invalidBody(`The part ${name} has more than ${textPartBytes} bytes.`, formatsHint);
  return toText(await readWhole(watchSize(body, tinyBodyBytes, hold), textPartBytes, tooLarge), formatsHint);
}

function readFields(fields: Map<string, string>, partType: string | null) {
  const contentType = fields.get('ContentType');
  const properties = fields.get('Properties');
  const objectType = fields.get('ObjectType');
  return {
    contentType: contentType === undefined ? toContentType(partType) : checkMediaType(contentType),
    properties: properties === undefined ? null : checkProperties(parseProperties(properties)),
    objectType: objectType === undefined ? null : checkObjectType(objectType),
    conflict: null,
  };
}

/** An invalid content type counts as absent: it is then detected from the bytes and the name. */
export function toContentType(header: string | null): string | null {
  return header !== null && readMediaType(header) !== null ? header.trim() : null;
}

function parseProperties(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Refusal('InvalidField', 'The part Properties is not valid JSON.', {
      target: 'Properties',
      hint: 'Send a JSON object of strings, for example {"Customer":"42"}.',
    });
  }
}

const checkSaveFileJson = compileCheck(SaveFileJson);

async function readJson(body: AsyncIterable<Buffer>, receiver: Receiver): Promise<FileBody> {
  const release = { slot: () => {} };
  try {
    const large = watchSize(body, smallBodyBytes, async () => {
      release.slot = receiver.takeSlot();
    });
    const fields = parseObject(await readWhole(large, jsonBodyBytes, jsonTooLarge), formatsHint);
    if (!isAttachment(fields.filename)) throw notAttached(fields.filename);
    const { filename, Properties, ObjectType, ConflictBehavior } = checkSaveFileJson(fields);
    const { Content, ContentType } = typeof filename === 'string' ? { Content: filename } : filename;
    const fileFields = {
      fileName: null,
      contentType: ContentType === undefined ? null : checkMediaType(ContentType),
      objectType: ObjectType === undefined ? null : checkObjectType(ObjectType),
      properties: Properties === undefined ? null : checkProperties(Properties),
      conflict: checkConflictBehavior(ConflictBehavior ?? null),
    };
    return { ...fileFields, received: await receiver.receive(once(decodeBase64(Content))) };
  } finally {
    release.slot();
  }
}

function isAttachment(value: unknown): boolean {
  if (typeof value === 'string') return true;
  const { Content, ContentType = '' } = (value ?? {}) as { Content?: unknown; ContentType?: unknown };
  return typeof Content === 'string' && typeof ContentType === 'string';
}

function notAttached(value: unknown): Refusal {
  if (value === undefined) return invalidBody('The JSON object has no attachment named "filename".', formatsHint);
  return new Refusal(
    'InvalidBody',
    '"filename" must be base64, or an object with base64 as Content and perhaps a text as ContentType.',
    { target: 'filename', hint: formatsHint },
  );
}

async function* watchSize(
  body: AsyncIterable<Buffer>,
  largeBytes: number,
  onLarge: () => Promise<void>,
): AsyncGenerator<Buffer> {
  let size = 0;
  let isLarge = false;
  for await (const chunk of body) {
    size += chunk.length;
    if (!isLarge && size > largeBytes) {
      isLarge = true;
      await onLarge();
    }
    yield chunk;
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function decodeBase64(text: string): Buffer {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    throw new Refusal('InvalidBody', 'The content of "filename" is not base64.', {
      target: 'filename',
      hint: formatsHint,
    });
  }
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > jsonContentBytes) throw jsonTooLarge();
  return bytes;
}

function jsonTooLarge(): Refusal {
  return new Refusal('FileTooLarge', `A file inside JSON can have at most ${jsonContentBytes} bytes.`, {
    hint: formatsHint,
  });
}

function attachmentMissing(): Refusal {
  return new Refusal('AttachmentMissing', 'The request has no attachment named "filename".', {
    target: 'filename',
    hint: formatsHint,
  });
}

function tooManyAttachments(): Refusal {
  return new Refusal('TooManyAttachments', 'One request saves one file; there is a second attachment.', {
    target: 'filename',
  });
}
