// Appends bytes to an upload as they arrive. Keeps what has arrived even when the request breaks off, and saves the file after the
// last byte.

import type { SavedFile } from '../catalog/verbs/save-file.ts';
import type { Upload, UploadProtocol } from '../catalog/verbs/uploads.ts';
import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { BytesInFlight } from './bytes-in-flight.ts';
import type { Cabinet } from './cabinet.ts';
import { finishUpload } from './finish-upload.ts';
import { checkFree } from './free-space.ts';
import { type ChunkSource, gatherBlocks } from './gather-blocks.ts';
import type { StreamDigest } from './hasher.ts';
import { fileTooLarge } from './receive-content.ts';
import { checkCapacity } from './save-file.ts';
import { dropUpload, requireUpload } from './uploads.ts';

export class OffsetMismatch extends Refusal {
  readonly offsetBytes: number;

  constructor(offsetBytes: number) {
    super('UploadOffsetMismatch', `The upload goes on at byte ${offsetBytes}.`, {
      target: 'Upload-Offset',
      hint: 'Get the offset with HEAD, and send the bytes from there.',
    });
    this.offsetBytes = offsetBytes;
  }
}

interface AppendRequest {
  id: string;
  protocol: UploadProtocol;
  /** The offset at which the client continues. */
  offsetBytes: number;
  /** The total length that the client declares; null when it does not. */
  lengthBytes: number | null;
  /** The declared length of this body; null when it is unknown. */
  declaredBytes: number | null;
  /** The client declares this body to be the last one. */
  isLast: boolean;
  /** The body has a digest, which is checked at its end: until then its bytes do not count. */
  isChecked: boolean;
  body: UploadBody;
}

/** The body of the request. */
export interface UploadBody {
  /** Called once everything that the headers decide has been checked. */
  open(): AsyncIterable<Buffer>;
  /** Aborts the body from our side. */
  end(): void;
  /** Reports how many bytes of the upload are durable. */
  onKept?(sizeBytes: number): void;
  /** The caller with the rights of this moment. */
  renewCaller(): Promise<Caller>;
}

export interface AppendResult {
  upload: Upload;
  /** Null while the upload is unfinished. */
  saved: SavedFile | null;
}

export async function appendUpload(cabinet: Cabinet, caller: Caller, request: AppendRequest): Promise<AppendResult> {
  const release = await cabinet.uploads.acquire(request.id, () => request.body.end());
  try {
    const current = await requireUpload(cabinet, caller, request);
    if (isRepeated(current, request)) return { upload: current, saved: null };
    const upload = await takeTurn(cabinet, current, request);
    const received =
      request.declaredBytes === 0 ? await keepNothing(cabinet, upload) : await receive(cabinet, upload, request);
    if (!isWhole(received, request)) return { upload: received, saved: null };
    const saved = await finishUpload(cabinet, await request.body.renewCaller(), received);
    return { upload: { ...received, result: saved.file.id }, saved };
  } finally {
    release();
  }
}

function isWhole({ protocol, kind, lengthBytes, sizeBytes }: Upload, { isLast }: AppendRequest): boolean {
  if (kind === 'part' || (protocol === 'ietf' && !isLast)) return false;
  if (protocol === 'ietf' && sizeBytes !== lengthBytes) {
    throw lengthMismatch(`These were to be the last bytes, but ${sizeBytes} of ${lengthBytes} have come.`);
  }
  return sizeBytes === lengthBytes;
}

/** An empty PATCH at the end of a finished upload: tus clients use it to check that it is finished. */
function isRepeated(upload: Upload, { protocol, offsetBytes, declaredBytes }: AppendRequest): boolean {
  const isAtEnd = offsetBytes === upload.sizeBytes && declaredBytes === 0;
  return protocol === 'tus' && upload.kind !== 'final' && upload.result !== null && isAtEnd;
}

/** Claims the upload for this request. Returns the row with the new turn. */
async function takeTurn(cabinet: Cabinet, upload: Upload, request: AppendRequest): Promise<Upload> {
  const lengthBytes = checkAppend(cabinet, upload, request);
  const { id, turn } = upload;
  const isLast = request.isLast;
  const newTurn = await cabinet.catalog.takeTurn({
    id,
    turn,
    isBusy: request.declaredBytes !== 0,
    isLast,
    lengthBytes,
  });
  if (newTurn !== null) return { ...upload, lengthBytes, isLast, turn: newTurn };
  const now = await cabinet.catalog.findUpload(upload);
  throw new OffsetMismatch(now?.sizeBytes ?? 0);
}

/** The total length of the upload, as far as it is known now. */
function checkAppend(cabinet: Cabinet, upload: Upload, request: AppendRequest): number | null {
  const { offsetBytes, declaredBytes } = request;
  if (upload.kind === 'final') {
    throw new Refusal('Forbidden', 'A final upload consists of its parts, and accepts no bytes of its own.');
  }
  if (upload.result !== null && request.protocol === 'ietf') throw finished();
  if (offsetBytes !== upload.sizeBytes) throw new OffsetMismatch(upload.sizeBytes);
  const declared = request.lengthBytes;
  if (declared !== null && upload.lengthBytes !== null && declared !== upload.lengthBytes) {
    throw lengthMismatch(`The upload was said to have ${upload.lengthBytes} bytes, and now ${declared}.`);
  }
  const lengthBytes = upload.lengthBytes ?? declared;
  const end = offsetBytes + (declaredBytes ?? 0);
  if (lengthBytes !== null && end > lengthBytes) {
    throw tooMany(upload, `The upload was said to have ${lengthBytes} bytes; these would make it ${end}.`);
  }
  if (Math.max(lengthBytes ?? 0, end) > cabinet.limits.fileBytes) throw fileTooLarge(cabinet.limits.fileBytes);
  checkCapacity(cabinet, declaredBytes);
  return lengthBytes;
}

function finished(): Refusal {
  return new Refusal('UploadFinished', 'The upload is complete.', {
    hint: 'HEAD returns the id of the saved file in the header entryid.',
  });
}

/** More bytes than declared: too large in tus, inconsistent in the IETF draft. */
function tooMany({ protocol }: Upload, message: string): Refusal {
  return protocol === 'tus' ? new Refusal('FileTooLarge', message) : lengthMismatch(message);
}

export function lengthMismatch(message: string): Refusal {
  return new Refusal('UploadLengthMismatch', message, { target: 'Upload-Length' });
}

async function keepNothing(cabinet: Cabinet, upload: Upload): Promise<Upload> {
  const lengthBytes = upload.isLast ? (upload.lengthBytes ?? upload.sizeBytes) : upload.lengthBytes;
  return await keep(cabinet, { ...upload, lengthBytes }, false);
}

/** Records the progress in the row. */
async function keep(cabinet: Cabinet, upload: Upload, isBusy: boolean): Promise<Upload> {
  const expiresAt = cabinet.clock.now() + cabinet.limits.uploadMs;
  const { id, turn, sizeBytes, lengthBytes, grown } = upload;
  const isKept = await cabinet.catalog.keepUpload({ id, turn, sizeBytes, lengthBytes, grown, isBusy, expiresAt });
  if (isKept) return { ...upload, isBusy, expiresAt };
  // Another request, perhaps on another node, has claimed the upload.
  throw new OffsetMismatch((await cabinet.catalog.findUpload(upload))?.sizeBytes ?? 0);
}

async function receive(cabinet: Cabinet, upload: Upload, request: AppendRequest): Promise<Upload> {
  const inFlight = await holdRoom(cabinet, upload, request);
  try {
    return await receiveInto(cabinet, upload, request, inFlight);
  } finally {
    inFlight.settle();
  }
}

/** Refuses what the quotas do not allow before it is sent, if its length is known, and otherwise as it arrives. */
async function holdRoom({ quotas }: Cabinet, upload: Upload, { declaredBytes }: AppendRequest): Promise<BytesInFlight> {
  // Of uploads that an earlier release began, nothing is counted until they are saved.
  if (upload.space === null) return new BytesInFlight();
  const parked = { space: upload.space };
  const shortage = await quotas.findShortage(parked, upload.actor, declaredBytes ?? 0);
  if (shortage !== null) throw shortage;
  return await quotas.parking(parked, upload.actor);
}

async function receiveInto(
  cabinet: Cabinet,
  upload: Upload,
  request: AppendRequest,
  inFlight: BytesInFlight,
): Promise<Upload> {
  const digest = cabinet.uploads.takeDigest(upload, cabinet.hasher);
  const incoming = new IncomingBytes(cabinet, request.body.open(), { upload, inFlight });
  const gathered = gatherBlocks(incoming, cabinet.uploadMemory);
  const blocks = digest === null ? gathered : digest.observe(gathered);
  const kept = await append(cabinet, upload, request, { incoming, blocks, inFlight }).catch((error) => {
    digest?.drop();
    throw error;
  });
  if (digest !== null) await returnDigest(cabinet, kept, digest);
  if (incoming.failure === null) return kept;
  // "rejecting the request once the offset exceeds the length, marking the upload resource invalid"
  if (incoming.exceedsLength) await dropUpload(cabinet, upload.id);
  throw incoming.failure.error;
}

/** Keeps the digest for the next request, unless it covers other bytes than those that count, or failed. Without it the bytes are
 *  read again when the upload finishes. */
async function returnDigest({ uploads }: Cabinet, { id, sizeBytes }: Upload, digest: StreamDigest): Promise<void> {
  const isSettled = await digest.settle().then(
    () => true,
    () => false,
  );
  if (isSettled && digest.sizeBytes === sizeBytes) uploads.putDigest(id, digest);
  else digest.drop();
}

async function append(
  cabinet: Cabinet,
  upload: Upload,
  { body, isChecked }: AppendRequest,
  { incoming, blocks, inFlight }: { incoming: IncomingBytes; blocks: AsyncIterable<Buffer[]>; inFlight: BytesInFlight },
): Promise<Upload> {
  const { lengthBytes, sizeBytes } = upload;
  const appended = await cabinet.blobs.append(upload.blob ?? '', {
    from: { sizeBytes, state: upload.grown },
    blocks,
    async keep({ sizeBytes: reached, state }) {
      await keep(cabinet, { ...upload, sizeBytes: isChecked ? sizeBytes : reached, grown: state }, true);
      if (!isChecked) inFlight.settle();
      if (!isChecked) body.onKept?.(reached);
    },
  });
  const isCounted = incoming.failure === null || !isChecked;
  return await keep(
    cabinet,
    {
      ...upload,
      sizeBytes: isCounted ? appended.sizeBytes : sizeBytes,
      lengthBytes: incoming.failure === null && upload.isLast ? (lengthBytes ?? appended.sizeBytes) : lengthBytes,
      grown: appended.state,
    },
    false,
  );
}

/** The bytes of a request. When it breaks off, they end there, so that what has arrived is kept. */
class IncomingBytes implements ChunkSource {
  failure: { error: unknown } | null = null;
  exceedsLength = false;
  readonly #source: AsyncIterator<Buffer>;
  readonly #cabinet: Cabinet;
  readonly #upload: Upload;
  readonly #inFlight: BytesInFlight;
  #remainingBytes: number;

  constructor(
    cabinet: Cabinet,
    bytes: AsyncIterable<Buffer>,
    { upload, inFlight }: { upload: Upload; inFlight: BytesInFlight },
  ) {
    this.#cabinet = cabinet;
    this.#inFlight = inFlight;
    this.#source = bytes[Symbol.asyncIterator]();
    this.#upload = upload;
    this.#remainingBytes = (upload.lengthBytes ?? cabinet.limits.fileBytes) - upload.sizeBytes;
  }

  async next(): Promise<Buffer | null> {
    try {
      const next = await this.#source.next();
      if (next.done) return null;
      this.#remainingBytes -= next.value.length;
      if (this.#remainingBytes >= 0) {
        checkFree(this.#cabinet, null);
        this.#inFlight.add(next.value.length);
        return next.value;
      }
      this.exceedsLength = true;
      throw this.#toRefusal();
    } catch (error) {
      this.failure = { error };
      return null;
    }
  }

  async close(): Promise<void> {
    await this.#source.return?.();
  }

  #toRefusal(): Refusal {
    const { lengthBytes } = this.#upload;
    if (lengthBytes === null) return fileTooLarge(this.#cabinet.limits.fileBytes);
    return tooMany(this.#upload, `More bytes came than the ${lengthBytes} that the upload was said to have.`);
  }
}
