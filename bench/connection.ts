// One kept-alive socket with at most one request outstanding. The request's bytes are laid out once; each send patches the file
// name and a counter into the same buffer and writes it whole, which is safe because the server answers only a whole request.

import { randomFillSync } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { checkAnswer, checkContentHead, checkEnvelope, parseHead } from './answer.ts';
import { bodySizeBytes, type Job } from './job.ts';

const receiveSizeBytes = 64 * 1024;
const numberDigits = 8;

export type Answered = { latencyMs: number; failure: string | null };

export class Connection {
  #job: Job;
  #request: Buffer;
  #nameAt: number;
  #bodyBytes: number;
  #name = '';
  #socket: Socket | null = null;
  #isOutstanding = false;
  #isFirst = true;
  #sentAtMs = 0;
  #gathered: Buffer | null = null;
  #gatheredBytes = 0;
  /** Of a content whose head has come: counted, not gathered. */
  #missingBytes = 0;
  #answered: (answered: Answered) => void;

  constructor(job: Job, answered: (answered: Answered) => void) {
    this.#job = job;
    this.#answered = answered;
    this.#bodyBytes = job.method === 'GET' ? 0 : (job.bodyBytes ?? bodySizeBytes);
    const head = layOutHead(job, this.#bodyBytes);
    this.#nameAt = head.indexOf(toName('0'.repeat(numberDigits), job.label));
    const body = Buffer.alloc(this.#bodyBytes, 'the same bytes again and again. ');
    this.#request = Buffer.concat([head, job.isBodyRepeated === true ? body : randomFillSync(body)]);
  }

  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: '127.0.0.1',
        port: this.#job.port,
        noDelay: true,
        onread: {
          buffer: Buffer.allocUnsafeSlow(receiveSizeBytes),
          callback: (count, buffer) => {
            this.#receive((buffer as Buffer).subarray(0, count));
            return true;
          },
        },
      });
      this.#socket = socket;
      socket.once('connect', resolve);
      socket.once('error', (error) => {
        reject(error);
        this.#finish(`connection failed: ${error.message}`);
      });
      socket.once('close', () => this.#finish('connection closed before the whole answer came'));
    });
  }

  send(number: number): void {
    const { paths } = this.#job;
    if (paths === undefined) this.#nameFile(number);
    else this.#request = layOutHead({ ...this.#job, path: paths[number % paths.length] ?? '' }, 0);
    this.#isOutstanding = true;
    this.#sentAtMs = performance.now();
    this.#socket?.write(this.#request);
  }

  #nameFile(number: number): void {
    const { areNamesOrdered, distinctNames, label, isBodyRepeated = false } = this.#job;
    const which = distinctNames === undefined ? number : number % distinctNames;
    const hex = (areNamesOrdered ? which : scatter(which)).toString(16).padStart(numberDigits, '0');
    this.#name = toName(hex, label);
    this.#request.write(hex, this.#nameAt, 'latin1');
    if (!isBodyRepeated) this.#request.writeUInt32LE(number, this.#request.length - this.#bodyBytes);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #receive(piece: Buffer): void {
    if (this.#missingBytes > 0) {
      this.#count(piece.length);
      return;
    }
    const bytes = this.#gatheredBytes === 0 ? piece : this.#gather(piece);
    try {
      const head = parseHead(bytes);
      const { expect } = this.#job;
      if (head !== null && expect.kind === 'content') {
        this.#gatheredBytes = 0;
        const failure = checkContentHead(bytes, head, expect);
        if (failure !== null) throw new Error(failure);
        this.#missingBytes = head.end;
        this.#count(bytes.length);
        return;
      }
      if (head === null || bytes.length < head.end) {
        if (bytes === piece) this.#gather(piece, head?.end);
        return;
      }
      this.#gatheredBytes = 0;
      if (!this.#isOutstanding || bytes.length > head.end) throw new Error('more bytes than one answer');
      this.#finish(this.#check(bytes.subarray(head.bodyStart, head.end), head.status));
    } catch (error) {
      this.#finish((error as Error).message);
    }
  }

  #count(bytes: number): void {
    this.#missingBytes -= bytes;
    if (this.#missingBytes < 0) this.#finish('more bytes than one answer');
    else if (this.#missingBytes === 0) this.#finish(null);
  }

  #check(body: Buffer, status: number): string | null {
    const wanted = { name: this.#name, sizeBytes: this.#bodyBytes };
    const failure = checkAnswer(body, status, this.#job.expect, wanted);
    if (failure !== null || !this.#isFirst) return failure;
    this.#isFirst = false;
    return checkEnvelope(body, this.#job.expect, wanted);
  }

  /** Copies the piece, whose buffer the socket uses again, behind what has come so far. */
  #gather(piece: Buffer, expectedBytes = 0): Buffer {
    const neededBytes = Math.max(this.#gatheredBytes + piece.length, expectedBytes);
    if (this.#gathered === null || this.#gathered.length < neededBytes) {
      const larger = Buffer.allocUnsafeSlow(Math.max(receiveSizeBytes, 2 * neededBytes));
      this.#gathered?.copy(larger, 0, 0, this.#gatheredBytes);
      this.#gathered = larger;
    }
    piece.copy(this.#gathered, this.#gatheredBytes);
    this.#gatheredBytes += piece.length;
    return this.#gathered.subarray(0, this.#gatheredBytes);
  }

  #finish(failure: string | null): void {
    if (!this.#isOutstanding) return;
    this.#isOutstanding = false;
    this.#answered({ latencyMs: performance.now() - this.#sentAtMs, failure });
  }
}

function layOutHead(job: Job, bodyBytes: number): Buffer {
  const name = toName('0'.repeat(numberDigits), job.label);
  const path = job.path.replace('{name}', name);
  const headers: Record<string, string> = {
    Host: `127.0.0.1:${job.port}`,
    ...(path === job.path && job.method !== 'GET' ? { FileName: name } : {}),
    ...(job.method === 'GET'
      ? {}
      : { 'Content-Type': 'application/octet-stream', 'Content-Length': String(bodyBytes) }),
    ...job.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${job.method ?? 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
}

function toName(hex: string, label: string): string {
  return `${hex}-${label}.bin`;
}

// Multiplying by an odd number permutes the 32-bit integers: names stay unique but come in no order, as people's names do, so
// neither an index nor a cached first page is helped by the benchmark's own counting.
function scatter(number: number): number {
  return Math.imul(number, 0x9e3779b1) >>> 0;
}
