// Reads a page of the text of a document: what the search index would extract from that version.

import type { FileContent } from '../catalog/verbs/contents.ts';
import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet } from './cabinet.ts';
import { readBeginning, requireContent, toOpenedFile } from './open-file.ts';
import { byCaller } from './origin.ts';

export const defaultTextLength = 20_000;
export const maxTextLength = 100_000;

interface ReadTextRequest {
  fileId: string;
  /** Null for the current one. */
  version: number | null;
  /** Both in code points. */
  offset: number;
  length: number;
}

export interface TextPage {
  name: string;
  contentType: string;
  version: number;
  text: string;
  /** All in code points. */
  offset: number;
  length: number;
  totalLength: number;
  /** Whether the document has more text than is extracted. */
  isCut: boolean;
}

export async function readText(cabinet: Cabinet, caller: Caller, request: ReadTextRequest): Promise<TextPage> {
  const { fileId, version, offset } = request;
  const { space, content } = await requireContent(cabinet, caller, { fileId, version });
  if (cabinet.isReadAudited) {
    await cabinet.catalog.noteRead({ space, entry: fileId, version, ...byCaller(cabinet, caller) });
  }
  const { text, isCut } = await extract(cabinet, space, content);
  const page = toPage(text, offset, request.length);
  const { name, contentType } = content;
  return { name, contentType, version: content.version, isCut, offset, ...page };
}

async function extract(cabinet: Cabinet, space: number, content: FileContent) {
  const { name, contentType, sizeBytes, sha256 } = content;
  const readBytes = (maxBytes: number) => readBeginning(toOpenedFile(cabinet, content), maxBytes);
  const outcome = await cabinet.texts.read({ space, name, contentType, sizeBytes, sha256, readBytes });
  if (outcome !== null && 'text' in outcome) return outcome;
  const why = outcome === null ? `files of the type ${contentType} have none that is known` : outcome.reason;
  throw new Refusal('UnsupportedMediaType', `The text of this file cannot be read: ${why}.`, {
    hint: 'GET /files/{id}/content gives its bytes.',
  });
}

function toPage(text: string, offset: number, length: number) {
  const start = skip(text, 0, offset);
  const end = skip(text, start.at, length);
  const rest = skip(text, end.at, Number.POSITIVE_INFINITY);
  const totalLength = start.count + end.count + rest.count;
  return { text: text.slice(start.at, end.at), length: end.count, totalLength };
}

/** Where `count` code points after `from` end, and how many there are until then. */
function skip(text: string, from: number, count: number): { at: number; count: number } {
  let [at, passed] = [from, 0];
  while (passed < count && at < text.length) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    passed += 1;
  }
  return { at, count: passed };
}
