// Appends bytes to an upload as they arrive, keeps what came even when the rest does not, and saves the file with the last of them.

import type { SavedFile } from '../catalog/verbs/save-file.ts';
import type { Upload, UploadProtocol } from '../catalog/verbs/uploads.ts';
import type { Caller } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Cabinet, UploadMemory } from './cabinet.ts';
import { finishUpload } from './finish-upload.ts';
import type { StreamDigest } from './hasher.ts';
import { fileTooLarge } from './receive-content.ts';
import { checkRoom } from './save-file.ts';
import { dropUpload, requireUpload } from './uploads.ts';

/** Few large writes are much cheaper than many small ones; but a slow upload must not hoard memory meanwhile. */
const blockPatienceMs = 100;

export class OffsetMismatch extends Refusal {
  readonly offsetBytes: number;

  constructor(offsetBytes: number) {
    super('UploadOffsetMismatch', `The upload goes on at byte ${offsetBytes}.`, {
      target: 'Upload-Offset',
      hint: 'Ask for the offset with HEAD, and send the bytes from there on.',
    });
    this.offsetBytes = offsetBytes;
  }
}

export interface AppendRequest {
  id: string;
  protocol: UploadProtocol;
  /** Where the client thinks that the upload goes on. */
  offsetBytes: number;
  /** How long the client says that it will be in all; null: it does not say. */
  lengthBytes: number | null;
  /** How many bytes are coming, where that was said. */
  declaredBytes: number | null;
  /** The client says that these are all that are left. */
  isLast: boolean;
  /** The bytes have a digest, which is compared when all have come: until then they do not count. */
  isChecked: boolean;
  body: UploadBody;
}

/** The body of the request. */
export interface UploadBody {
  /** Called when everything that headers can decide has been decided. */
  open(): AsyncIterable<Buffer>;
  /** Ends it from our side. */
  end(): void;
  /** So many bytes of the upload are durable. */
  onKept?(sizeBytes: number): void;
  /** The caller as of now. */
  renewCaller(): Promise<Caller>;
}

export interface AppendResult {
  upload: Upload;
  /** Null: it is not finished. */
  saved: SavedFile | null;
}

export async function appendUpload(cabinet: Cabinet, caller: Caller, asked: AppendRequest): Promise<AppendResult> {
  const leave = await cabinet.uploads.acquire(asked.id, () => asked.body.end());
  try {
    const found = await requireUpload(cabinet, caller, asked);
    if (isRepeated(found, asked)) return { upload: found, saved: null };
    const upload = await takeTurn(cabinet, found, asked);
    const grown =
      asked.declaredBytes === 0 ? await keepNothing(cabinet, upload) : await receive(cabinet, upload, asked);
    if (!isWhole(grown, asked)) return { upload: grown, saved: null };
    const saved = await finishUpload(cabinet, await asked.body.renewCaller(), grown);
    return { upload: { ...grown, result: saved.file.id }, saved };
  } finally {
    leave();
  }
}

function isWhole({ protocol, kind, lengthBytes, sizeBytes }: Upload, { isLast }: AppendRequest): boolean {
  if (kind === 'part' || (protocol === 'ietf' && !isLast)) return false;
  if (protocol === 'ietf' && sizeBytes !== lengthBytes) {
    throw lengthMismatch(`These were to be the last bytes, but ${sizeBytes} of ${lengthBytes} have come.`);
  }
  return sizeBytes === lengthBytes;
}

/** Nothing, behind the end of what is finished: tus clients ask so whether it is. */
function isRepeated(upload: Upload, { protocol, offsetBytes, declaredBytes }: AppendRequest): boolean {
  const isAtEnd = offsetBytes === upload.sizeBytes && declaredBytes === 0;
  return protocol === 'tus' && upload.kind !== 'final' && upload.result !== null && isAtEnd;
}

/** The row as it is from now on, with a turn of ours. */
async function takeTurn(cabinet: Cabinet, upload: Upload, asked: AppendRequest): Promise<Upload> {
  const lengthBytes = checkAppend(cabinet, upload, asked);
  const { id, turn } = upload;
  const isLast = asked.isLast;
  const taken = await cabinet.catalog.takeTurn({ id, turn, isBusy: asked.declaredBytes !== 0, isLast, lengthBytes });
  if (taken !== null) return { ...upload, lengthBytes, isLast, turn: taken };
  const now = await cabinet.catalog.findUpload(upload);
  throw new OffsetMismatch(now?.sizeBytes ?? 0);
}

/** How long the upload is in all, as far as it is known now. */
function checkAppend(cabinet: Cabinet, upload: Upload, asked: AppendRequest): number | null {
  const { offsetBytes, declaredBytes } = asked;
  if (upload.kind === 'final') {
    throw new Refusal('Forbidden', 'A final upload is made of its parts, and takes no bytes.');
  }
  if (upload.result !== null && asked.protocol === 'ietf') throw finished();
  if (offsetBytes !== upload.sizeBytes) throw new OffsetMismatch(upload.sizeBytes);
  const said = asked.lengthBytes;
  if (said !== null && upload.lengthBytes !== null && said !== upload.lengthBytes) {
    throw lengthMismatch(`The upload was said to have ${upload.lengthBytes} bytes, and now ${said}.`);
  }
  const lengthBytes = upload.lengthBytes ?? said;
  const end = offsetBytes + (declaredBytes ?? 0);
  if (lengthBytes !== null && end > lengthBytes) {
    throw tooMany(upload, `The upload was said to have ${lengthBytes} bytes; these would make it ${end}.`);
  }
  if (Math.max(lengthBytes ?? 0, end) > cabinet.limits.fileBytes) throw fileTooLarge(cabinet.limits.fileBytes);
  checkRoom(cabinet, declaredBytes);
  return lengthBytes;
}

function finished(): Refusal {
  return new Refusal('UploadFinished', 'The upload is complete.', {
    hint: 'HEAD tells the id of the saved file as entryid.',
  });
}

/** More bytes than were said: too large by the one standard, inconsistent by the other. */
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

/** Writes to the row how far it has come. */
async function keep(cabinet: Cabinet, upload: Upload, isBusy: boolean): Promise<Upload> {
  const expiresAt = cabinet.clock.now() + cabinet.limits.uploadMs;
  const { id, turn, sizeBytes, lengthBytes, grown } = upload;
  const isKept = await cabinet.catalog.keepUpload({ id, turn, sizeBytes, lengthBytes, grown, isBusy, expiresAt });
  if (isKept) return { ...upload, isBusy, expiresAt };
  // Another request, perhaps on another node, has taken it over.
  throw new OffsetMismatch((await cabinet.catalog.findUpload(upload))?.sizeBytes ?? 0);
}

async function receive(cabinet: Cabinet, upload: Upload, asked: AppendRequest): Promise<Upload> {
  const digest = cabinet.uploads.takeDigest(upload, cabinet.hasher);
  const arriving = new Arriving(cabinet, asked.body.open(), upload);
  const blocks = digest === null ? arriving.blocks() : digest.observe(arriving.blocks());
  const kept = await append(cabinet, upload, asked, { arriving, blocks }).catch((error) => {
    digest?.drop();
    throw error;
  });
  if (digest !== null) await putBack(cabinet, kept, digest);
  if (arriving.failure === null) return kept;
  // "rejecting the request once the offset exceeds the length, marking the upload resource invalid"
  if (arriving.isTooMuch) await dropUpload(cabinet, upload.id);
  throw arriving.failure.error;
}

/** Unless it is of other bytes than those that count, or could not be made: then they are read once more in the end. */
async function putBack({ uploads }: Cabinet, { id, sizeBytes }: Upload, digest: StreamDigest): Promise<void> {
  const isMade = await digest.settle().then(
    () => true,
    () => false,
  );
  if (isMade && digest.sizeBytes === sizeBytes) uploads.putDigest(id, digest);
  else digest.drop();
}

async function append(
  cabinet: Cabinet,
  upload: Upload,
  { body, isChecked }: AppendRequest,
  { arriving, blocks }: { arriving: Arriving; blocks: AsyncIterable<Buffer[]> },
): Promise<Upload> {
  const { lengthBytes, sizeBytes } = upload;
  const grown = await cabinet.blobs.append(upload.blob ?? '', {
    from: { sizeBytes, state: upload.grown },
    blocks,
    async keep({ sizeBytes: reached, state }) {
      await keep(cabinet, { ...upload, sizeBytes: isChecked ? sizeBytes : reached, grown: state }, true);
      if (!isChecked) body.onKept?.(reached);
    },
  });
  const isCounted = arriving.failure === null || !isChecked;
  return await keep(
    cabinet,
    {
      ...upload,
      sizeBytes: isCounted ? grown.sizeBytes : sizeBytes,
      lengthBytes: arriving.failure === null && upload.isLast ? (lengthBytes ?? grown.sizeBytes) : lengthBytes,
      grown: grown.state,
    },
    false,
  );
}

/** The bytes of a request in blocks. What has come is given on also when the rest does not come. */
class Arriving {
  failure: { error: unknown } | null = null;
  isTooMuch = false;
  readonly #memory: UploadMemory;
  readonly #source: AsyncIterator<Buffer>;
  readonly #upload: Upload;
  readonly #fileBytes: number;
  #roomBytes: number;

  constructor({ uploadMemory, limits }: Cabinet, bytes: AsyncIterable<Buffer>, upload: Upload) {
    this.#memory = uploadMemory;
    this.#source = bytes[Symbol.asyncIterator]();
    this.#upload = upload;
    this.#fileBytes = limits.fileBytes;
    this.#roomBytes = (upload.lengthBytes ?? limits.fileBytes) - upload.sizeBytes;
  }

  async *blocks(): AsyncGenerator<Buffer[]> {
    let isDone = false;
    try {
      while (!isDone) {
        const block: Buffer[] = [];
        isDone = await this.#fill(block);
        const blockSize = block.reduce((sum, { length }) => sum + length, 0);
        this.#memory.usedBytes += blockSize;
        try {
          if (blockSize > 0) yield block;
        } finally {
          this.#memory.usedBytes -= blockSize;
        }
      }
    } finally {
      await this.#source.return?.();
    }
  }

  /** True: these were the last. */
  async #fill(block: Buffer[]): Promise<boolean> {
    const begunAt = performance.now();
    for (let size = 0; size < this.#memory.blockBytes && performance.now() - begunAt < blockPatienceMs; ) {
      const next = await this.#next();
      if (next === null) return true;
      block.push(next);
      size += next.length;
    }
    return false;
  }

  async #next(): Promise<Buffer | null> {
    try {
      const next = await this.#source.next();
      if (next.done) return null;
      this.#roomBytes -= next.value.length;
      if (this.#roomBytes >= 0) return next.value;
      this.isTooMuch = true;
      throw this.#tooMuch();
    } catch (error) {
      this.failure = { error };
      return null;
    }
  }

  #tooMuch(): Refusal {
    const { lengthBytes } = this.#upload;
    if (lengthBytes === null) return fileTooLarge(this.#fileBytes);
    return tooMany(this.#upload, `More bytes came than the ${lengthBytes} that the upload was said to have.`);
  }
}
