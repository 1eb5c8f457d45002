// The body of `POST /files/batch`: file parts in order, and an optional part `Files` with the metadata of each. The bytes are
// received as they arrive. An error in one file is the result of that file alone; an error in the body refuses the batch.

import { timingSafeEqual } from 'node:crypto';
import { checkMediaType, readMediaType } from '../../domain/content-type.ts';
import type { ConflictBehavior } from '../../domain/entry.ts';
import { checkObjectType, checkProperties } from '../../domain/properties.ts';
import { Refusal } from '../../domain/refusal.ts';
import { digestMismatch } from '../../listener/body.ts';
import type { ReceivedContent } from '../../operations/receive-content.ts';
import {
  type BatchFile,
  type BatchItem,
  batchTooLarge,
  maxBatchBytes,
  maxBatchFiles,
} from '../../operations/save-batch.ts';
import { BatchFile as BatchFields } from '../openapi/entry-schemas.ts';
import type { Static } from '../openapi/json-schema.ts';
import { compileCheck } from '../openapi/schemas.ts';
import { checkComment } from '../parameters.ts';
import { toContentType } from './file-body.ts';
import { invalidBody, parseValue, readWhole, smallBodyBytes } from './json.ts';
import { checkBoundary, type Part, readParts } from './multipart.ts';

const filesPartBytes = 4 * 1024 * 1024;
/** For a thousand files with a dozen fields and properties each. */
const maxStrings = 50_000;
/** Parts that are not files: `Files`, and unknown ones, which are ignored. */
const maxOtherParts = 20;

const formatHint =
  'Send multipart/form-data with a part named "filename" for each file, and, if there is more to say of them, a part named "Files" with a JSON array of as many objects.';

/** Used for each file whose metadata does not say otherwise. */
interface BatchDefaults {
  conflict: ConflictBehavior;
  comment: string | null;
}

export function readBatchBoundary(header: string | null): string {
  const type = readMediaType(header ?? undefined);
  const boundary = type?.essence === 'multipart/form-data' ? type.parameters.get('boundary') : undefined;
  if (boundary === undefined) throw invalidBody('A batch is multipart/form-data with a boundary.', formatHint);
  checkBoundary(boundary);
  return boundary;
}

/** Where the bytes of the files go. */
export interface BatchReceiver {
  receive(bytes: AsyncIterable<Buffer>): Promise<ReceivedContent>;
  discard(received: ReceivedContent): Promise<void>;
  /** Called when the body turns out to be large. Throws when too many large bodies are being read. */
  onLarge(): void;
}

interface FilePart {
  fileName: string | null;
  contentType: string | null;
  received: ReceivedContent | Refusal;
}

export async function readBatch(
  { body, boundary }: { body: AsyncIterable<Buffer>; boundary: string },
  defaults: BatchDefaults,
  receiver: BatchReceiver,
): Promise<BatchItem[]> {
  const files: FilePart[] = [];
  try {
    const limited = limit(body, () => receiver.onLarge());
    let metadata: unknown[] | null = null;
    for await (const part of readParts(limited, boundary, maxBatchFiles + maxOtherParts)) {
      if (part.name === 'filename' || part.name === 'file') {
        if (files.length === maxBatchFiles) throw batchTooLarge(`One batch has at most ${maxBatchFiles} files.`);
        files.push(await receivePart(part, receiver));
      } else if (part.name === 'Files') {
        if (metadata !== null) throw invalidBody('The body has two parts named "Files".', formatHint);
        metadata = await readFiles(part);
      }
    }
    checkCount(files.length, metadata);
    return files.map((file, index) => toItem(file, metadata === null ? {} : metadata[index], defaults));
  } catch (error) {
    for (const { received } of files) if (!(received instanceof Refusal)) await receiver.discard(received);
    throw error;
  }
}

/** Large bodies are held in memory, so only a few are read at a time. */
async function* limit(body: AsyncIterable<Buffer>, onLarge: () => void): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  for await (const chunk of body) {
    const before = sizeBytes;
    sizeBytes += chunk.length;
    if (before <= smallBodyBytes && sizeBytes > smallBodyBytes) onLarge();
    if (sizeBytes > maxBatchBytes) throw batchTooLarge(`One batch has at most ${maxBatchBytes} bytes.`);
    yield chunk;
  }
}

async function receivePart({ fileName, contentType, body }: Part, receiver: BatchReceiver): Promise<FilePart> {
  try {
    return { fileName, contentType, received: await receiver.receive(body) };
  } catch (error) {
    // The result of this file alone; any other refusal here is about the whole body.
    if (error instanceof Refusal && error.code === 'FileTooLarge') return { fileName, contentType, received: error };
    throw error;
  }
}

async function readFiles({ body }: Part): Promise<unknown[]> {
  const tooLarge = () => batchTooLarge(`The part Files has more than ${filesPartBytes} bytes.`);
  const value = parseValue(await readWhole(body, filesPartBytes, tooLarge), formatHint, maxStrings);
  if (Array.isArray(value)) return value;
  throw invalidBody('The part Files is not a JSON array.', formatHint);
}

function checkCount(files: number, metadata: readonly unknown[] | null): void {
  if (files === 0) {
    const message = 'The request has no attachment named "filename".';
    throw new Refusal('AttachmentMissing', message, { target: 'filename', hint: formatHint });
  }
  if (metadata === null || metadata.length === files) return;
  throw invalidBody(`The part Files tells of ${metadata.length} files; there are ${files} file parts.`, formatHint);
}

function toItem({ received, ...part }: FilePart, metadata: unknown, defaults: BatchDefaults): BatchItem {
  if (received instanceof Refusal) return { refusal: received, received: null };
  try {
    const fields = checkFields(metadata);
    checkSha256(fields.Sha256, received);
    return { file: toFile(fields, part, defaults), received };
  } catch (refusal) {
    if (refusal instanceof Refusal) return { refusal, received };
    throw refusal;
  }
}

type Fields = Static<typeof BatchFields>;

const checkSchema = compileCheck(BatchFields);

function checkFields(metadata: unknown): Fields {
  if (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)) return checkSchema(metadata);
  throw new Refusal('InvalidField', 'The item of Files for this file is not an object.', {
    target: 'Files',
    hint: formatHint,
  });
}

function checkSha256(expected: string | undefined, { content }: ReceivedContent): void {
  if (expected === undefined || timingSafeEqual(Buffer.from(expected, 'hex'), content.sha256)) return;
  throw digestMismatch('Sha256', 'the file that arrived');
}

function toFile(fields: Fields, part: Omit<FilePart, 'received'>, defaults: BatchDefaults): BatchFile {
  const { FolderId, ContentType, ObjectType, Properties, ConflictBehavior, Comment } = fields;
  return {
    folderId: FolderId ?? null,
    ...toName(fields, part.fileName),
    contentType: ContentType === undefined ? toContentType(part.contentType) : checkMediaType(ContentType),
    objectType: ObjectType === undefined ? null : checkObjectType(ObjectType),
    properties: Properties === undefined ? null : checkProperties(Properties),
    comment: Comment === undefined || Comment === '' ? defaults.comment : checkComment(Comment),
    conflict: ConflictBehavior ?? defaults.conflict,
  };
}

function toName(
  { FileName, RelativePath }: Fields,
  partName: string | null,
): Pick<BatchFile, 'name' | 'isRelativePath'> {
  if (FileName !== undefined && RelativePath !== undefined) {
    throw new Refusal('InvalidField', 'FileName and RelativePath cannot be sent together.', { target: 'RelativePath' });
  }
  const name = RelativePath ?? FileName ?? (partName === '' ? null : partName);
  if (name !== null) return { name, isRelativePath: RelativePath !== undefined };
  throw new Refusal('FileNameMissing', 'The file has no name.', {
    target: 'FileName',
    hint: 'Send FileName or RelativePath in Files, or a file name in the multipart part.',
  });
}
