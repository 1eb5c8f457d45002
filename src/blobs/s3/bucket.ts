// One bucket of an S3 server, and the part of it that our keys begin with: a method for each request that we make, with
// its faults translated and its checksums sent and compared. Which requests make a blob is decided elsewhere.

import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Fault } from '../../domain/fault.ts';
import { type Clock, systemClock } from '../../runtime/clock.ts';
import type { S3Setting } from '../blobs-setting.ts';
import { isMissing, toS3Fault } from './faults.ts';

const connectTimeoutMs = 5000;
/** A connection that is idle for so long is closed. */
const idleTimeoutMs = 30_000;
/** By the SDK, at once; one is needed to learn how far our clock is off. */
const attempts = 2;
const firstWaitMs = 100;
const defaultPatienceMs = 8000;
/** Slow downloads each hold one, so these are many; they are opened as needed. */
const maxConnections = 4096;

export type S3Place = Omit<S3Setting, 'kind'>;

/** What is sent as one object or as one part of one. */
export interface Body {
  sizeBytes: number;
  md5: Buffer;
  /** Starts at the first byte each time. */
  open(): Uint8Array | Readable;
}

export interface Listed {
  key: string;
  atMs: number;
}

/** What differs from server to server; the probe finds out. */
interface Traits {
  /** Whether the ETag of an object is the MD5 of its bytes, and that of one made of parts the MD5 of theirs. */
  hasMd5Etags: boolean;
  hasMd5OfParts: boolean;
  maxParts: number;
}

export class Bucket {
  readonly client: S3Client;
  readonly place: S3Place;
  readonly prefix: string;
  traits: Traits = { hasMd5Etags: false, hasMd5OfParts: false, maxParts: 1000 };

  readonly clock: Clock;
  readonly #patienceMs: number;

  /** `patienceMs`: how long requests are retried while S3 is unreachable or busy. */
  constructor(place: S3Place, { patienceMs = defaultPatienceMs, clock = systemClock } = {}) {
    this.place = place;
    this.clock = clock;
    this.#patienceMs = patienceMs;
    this.prefix = place.prefix;
    this.client = openClient(place);
  }

  /** `lockedUntil`: the object cannot be changed or removed before. */
  async put(key: string, body: Body, lockedUntil: Date | null = null): Promise<string> {
    const lock =
      lockedUntil === null ? {} : { ObjectLockMode: 'COMPLIANCE' as const, ObjectLockRetainUntilDate: lockedUntil };
    const { ETag, ...rest } = await this.#sendBody(body, 'store an object', (Body, signal) =>
      this.client.send(new PutObjectCommand({ ...this.#at(key), ...toChecked(body), ...lock, Body }), signal),
    );
    if (this.traits.hasMd5Etags) compare(ETag, body.md5.toString('hex'), rest);
    return trim(ETag);
  }

  /** The bytes from `start` up to but not including `end`. Rejects if the response announces anything else. */
  async get(key: string, start: number, end: number): Promise<Readable> {
    const command = new GetObjectCommand({ ...this.#at(key), Range: `bytes=${start}-${end - 1}` });
    const { Body, ContentRange } = await this.#send('read', () => this.client.send(command)).catch((error) => {
      throw isMissing(error) ? new Fault('other', `${key} is not in the bucket`, error) : error;
    });
    const body = Body as Readable;
    if (ContentRange?.startsWith(`bytes ${start}-${end - 1}/`)) return body;
    body.destroy();
    const wanted = `bytes ${start} to ${end} of ${key}`;
    throw new Fault('other', ContentRange === undefined ? 'S3 does not support ranges' : `S3 does not have ${wanted}`);
  }

  /** Null if it does not exist. */
  async findSize(key: string): Promise<number | null> {
    try {
      const command = new HeadObjectCommand(this.#at(key));
      const { ContentLength } = await this.#send('look at an object', () => this.client.send(command));
      return ContentLength ?? 0;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Returns whether the server keeps the bytes as an old version. */
  async remove(key: string, patienceMs = this.#patienceMs): Promise<boolean> {
    try {
      const command = new DeleteObjectCommand(this.#at(key));
      const { DeleteMarker } = await this.#send('remove an object', () => this.client.send(command), patienceMs);
      return DeleteMarker === true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Everything whose key begins so. */
  async *list(prefix: string): AsyncGenerator<Listed> {
    for (let ContinuationToken: string | undefined; ; ) {
      const command = new ListObjectsV2Command({ Bucket: this.place.bucket, Prefix: prefix, ContinuationToken });
      const page = await this.#send('list objects', () => this.client.send(command));
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (Key !== undefined) yield { key: Key, atMs: LastModified?.getTime() ?? this.clock.now() };
      }
      if (page.IsTruncated !== true) return;
      ContinuationToken = page.NextContinuationToken;
    }
  }

  async beginParts(key: string): Promise<string> {
    const command = new CreateMultipartUploadCommand(this.#at(key));
    const { UploadId } = await this.#send('begin an upload in parts', () => this.client.send(command));
    if (UploadId === undefined) throw new Fault('other', 'S3 started an upload without an id');
    return UploadId;
  }

  /** Returns the ETag that completing it takes. */
  async putPart(key: string, uploadId: string, number: number, body: Body): Promise<string> {
    const named = { ...this.#at(key), UploadId: uploadId, PartNumber: number };
    const { ETag, ...rest } = await this.#sendBody(body, 'store a part', (Body, signal) =>
      this.client.send(new UploadPartCommand({ ...named, ...toChecked(body), Body }), signal),
    );
    if (this.traits.hasMd5Etags) compare(ETag, body.md5.toString('hex'), rest);
    if (ETag === undefined) throw new Fault('other', 'S3 stored a part without an ETag');
    return ETag;
  }

  async completeParts(
    key: string,
    uploadId: string,
    parts: readonly { etag: string; number: number }[],
  ): Promise<string> {
    const Parts = parts.map(({ etag, number }) => ({ ETag: etag, PartNumber: number }));
    const command = new CompleteMultipartUploadCommand({
      ...this.#at(key),
      UploadId: uploadId,
      MultipartUpload: { Parts },
    });
    return await this.#send('complete an upload', async () => {
      const { ETag } = await this.client.send(command);
      // A response that starts as a success may contain an error. The SDK detects most of them; in the others this is missing.
      if (ETag === undefined) throw new Fault('unavailable', 'S3 did not complete an upload although it returned 200');
      return trim(ETag);
    });
  }

  /** A missing one is not an error. */
  async abortParts(key: string, uploadId: string, patienceMs = this.#patienceMs): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...this.#at(key), UploadId: uploadId });
    await this.#send('abort an upload', () => this.client.send(command), patienceMs).catch((error) => {
      if ((error.cause as Error | undefined)?.name !== 'NoSuchUpload') throw error;
    });
  }

  async *listUnfinished(): AsyncGenerator<Listed & { uploadId: string }> {
    const fixed = { Bucket: this.place.bucket, Prefix: this.prefix };
    for (let markers: { KeyMarker?: string; UploadIdMarker?: string } = {}; ; ) {
      const command = new ListMultipartUploadsCommand({ ...fixed, ...markers });
      const page = await this.#send('list unfinished uploads', () => this.client.send(command));
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Key === undefined || UploadId === undefined || !Key.startsWith(this.prefix)) continue;
        yield { key: Key, uploadId: UploadId, atMs: Initiated?.getTime() ?? this.clock.now() };
      }
      if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return;
      markers = { KeyMarker: page.NextKeyMarker };
      if (page.NextUploadIdMarker !== undefined) markers.UploadIdMarker = page.NextUploadIdMarker;
    }
  }

  close(): void {
    this.client.destroy();
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.place.bucket, Key: key };
  }

  /** Retries for a while when S3 is unreachable or busy. `send` opens a stream again. */
  async #send<Answer>(doing: string, send: () => Promise<Answer>, patienceMs = this.#patienceMs): Promise<Answer> {
    const until = this.clock.monotonic() + patienceMs;
    for (let waitMs = firstWaitMs; ; waitMs *= 2) {
      try {
        return await send();
      } catch (error) {
        if (isMissing(error)) throw error;
        const fault = toS3Fault(error, doing);
        if (fault.kind !== 'unavailable' || this.clock.monotonic() + waitMs > until) throw fault;
        await this.clock.sleep(waitMs * (0.5 + Math.random() / 2));
      }
    }
  }

  async #sendBody<Answer>(
    body: Body,
    doing: string,
    send: (bytes: Uint8Array | Readable, options: { abortSignal: AbortSignal }) => Promise<Answer>,
  ): Promise<Answer> {
    return await this.#send(doing, async () => {
      const bytes = body.open();
      const abort = new AbortController();
      if (bytes instanceof Uint8Array) return await send(bytes, { abortSignal: abort.signal });
      bytes.once('error', (error) => abort.abort(error));
      try {
        return await send(bytes, { abortSignal: abort.signal });
      } catch (error) {
        throw bytes.errored === null ? error : new Fault('other', 'a part of an upload cannot be read', bytes.errored);
      } finally {
        bytes.destroy();
      }
    });
  }
}

function openClient({ endpoint, region, isPathStyle, credentials }: S3Place): S3Client {
  const agent = { keepAlive: true, maxSockets: maxConnections };
  const client = new S3Client({
    ...(endpoint !== null && { endpoint }),
    ...(region !== null && { region }),
    ...(credentials !== null && { credentials }),
    forcePathStyle: isPathStyle,
    maxAttempts: attempts,
    // We send and compare MD5, which every server knows; what the SDK would add some servers refuse.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // It would give every large request a connection of its own.
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      socketTimeout: idleTimeoutMs,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
  client.middlewareStack.add(
    (next) => (given) => {
      const { headers, body } = given.request as { headers: Record<string, string>; body?: unknown };
      // The signature covers the MD5 of the body, which the server compares; hashing it once more would add nothing.
      if (body !== undefined && headers['content-md5'] !== undefined)
        headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      return next(given);
    },
    { step: 'build', name: 'unsignedPayload' },
  );
  return client;
}

function toChecked({ sizeBytes, md5 }: Body): { ContentLength: number; ContentMD5: string } {
  return { ContentLength: sizeBytes, ContentMD5: md5.toString('base64') };
}

interface Encryption {
  ServerSideEncryption?: string | undefined;
  SSECustomerAlgorithm?: string | undefined;
}

/** With keys of its own the server encrypts first, and the ETag is not that of our bytes. */
function compare(
  etag: string | undefined,
  md5: string,
  { ServerSideEncryption, SSECustomerAlgorithm }: Encryption,
): void {
  if (ServerSideEncryption?.startsWith('aws:kms') || SSECustomerAlgorithm !== undefined) return;
  if (trim(etag) !== md5) throw new Fault('other', 'S3 stored other bytes than were sent: the checksum differs');
}

function trim(etag: string | undefined): string {
  return (etag ?? '').replaceAll('"', '');
}

/** The ETag of an object that was made of these parts, on servers that make it of MD5s. */
export function toEtagOfParts(md5s: readonly Buffer[]): string {
  return `${createHash('md5').update(Buffer.concat(md5s)).digest('hex')}-${md5s.length}`;
}

/** For bytes that are in memory anyway. */
export function toBody(bytes: Uint8Array): Body {
  return { sizeBytes: bytes.byteLength, md5: createHash('md5').update(bytes).digest(), open: () => bytes };
}
