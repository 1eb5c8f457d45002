// Reads a range of an object. When the connection breaks or ends early, reading continues where it stopped; slow readers may
// lose their connection too.

import { Fault } from '../../domain/fault.ts';
import type { Bucket } from './bucket.ts';
import { toS3Fault } from './faults.ts';

/** How many attempts in a row may bring no bytes. */
const attempts = 4;

/** The range in chunks of that size. Two buffers are used in turn. */
export async function* readChunks(
  bucket: Bucket,
  key: string,
  range: { start: number; end: number; chunkBytes: number },
): AsyncGenerator<Buffer> {
  const size = Math.min(range.chunkBytes, range.end - range.start);
  const buffers = [Buffer.allocUnsafeSlow(size), Buffer.allocUnsafeSlow(size)] as const;
  let turn = 0;
  let filled = 0;
  for await (const piece of readPieces(bucket, key, range)) {
    for (let at = 0; at < piece.length; ) {
      const buffer = buffers[turn] as Buffer;
      const taken = piece.copy(buffer, filled, at, at + size - filled);
      at += taken;
      filled += taken;
      if (filled < size) continue;
      yield buffer;
      filled = 0;
      turn ^= 1;
    }
  }
  if (filled > 0) yield (buffers[turn] as Buffer).subarray(0, filled);
}

async function* readPieces(
  bucket: Bucket,
  key: string,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Buffer> {
  let position = start;
  for (let failures = 0; position < end; ) {
    const body = await bucket.get(key, position, end);
    const from = position;
    try {
      for await (const piece of body as AsyncIterable<Buffer>) {
        if (position + piece.length > end) throw new Fault('other', `S3 sent more of ${key} than was requested`);
        position += piece.length;
        yield piece;
      }
      if (position < end) throw new Fault('unavailable', `S3 stopped at byte ${position} of ${key}`);
    } catch (error) {
      const fault = toS3Fault(error, 'go on reading');
      failures = position > from ? 1 : failures + 1;
      if (fault.kind !== 'unavailable' || failures === attempts) throw fault;
      await bucket.clock.sleep(50 * 2 ** failures);
    } finally {
      body.destroy();
    }
  }
}
