// The worker thread that hashes large contents, several at a time.

import { parentPort } from 'node:worker_threads';
import { ContentDigest, type Digest, release } from './content-digest.ts';

/** `bytes` are transferred to the thread. */
export type ToHasher =
  | { content: number; bytes: Uint8Array }
  | { content: number; isFinished: true }
  | { content: number; isDropped: true };

export type FromHasher = { hashedBytes: number } | { content: number; digest: Digest };

const digests = new Map<number, ContentDigest>();

function open(content: number): ContentDigest {
  const known = digests.get(content);
  if (known !== undefined) return known;
  const digest = new ContentDigest();
  digests.set(content, digest);
  return digest;
}

function hash(digest: ContentDigest, bytes: Uint8Array): FromHasher {
  const hashedBytes = bytes.length;
  digest.update(bytes);
  release(bytes);
  return { hashedBytes };
}

function answer(message: ToHasher): FromHasher | null {
  const { content } = message;
  if ('bytes' in message) return hash(open(content), message.bytes);
  const digest = open(content);
  digests.delete(content);
  return 'isFinished' in message ? { content, digest: digest.finish() } : null;
}

parentPort?.on('message', (message: ToHasher) => {
  const reply = answer(message);
  if (reply !== null) parentPort?.postMessage(reply);
});
