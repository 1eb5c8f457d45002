// A file store in S3: a few files below a name of their own in the prefix.

import type { FileStore } from '../../runtime/file-store.ts';
import { Bucket, type S3Place, toBody } from './bucket.ts';
import { readChunks } from './read.ts';

const chunkBytes = 1024 * 1024;

/** `folder`: ends with a slash. */
export function s3Files(place: S3Place, folder: string): FileStore {
  const bucket = new Bucket(place);
  const toKey = (name: string) => `${bucket.prefix}${folder}${name}`;
  return {
    async list() {
      const start = toKey('');
      return await Array.fromAsync(bucket.list(start), ({ key }) => key.slice(start.length));
    },
    async write(name, bytes) {
      await bucket.put(toKey(name), toBody(bytes));
    },
    settle: async () => undefined,
    async read(name) {
      const key = toKey(name);
      const size = await bucket.findSize(key);
      if (size === null) throw new Error(`${key} is not in the bucket`);
      const chunks = readChunks(bucket, key, { start: 0, end: size, chunkBytes });
      return Buffer.concat(await Array.fromAsync(chunks, (chunk) => Buffer.from(chunk)));
    },
  };
}
