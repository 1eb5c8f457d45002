// Memory that is freed when it is not used any more, before the collector finds it. Bytes from SQLite are allocated outside of V8's
// heap, and V8 collects the whole heap for every few dozen MiB of them: more work than reading and sending them.

const owned = new WeakSet<Uint8Array>();

/** For whoever made the bytes and hands them to one user alone. They must have their buffer for themselves. */
export function ownMemory(bytes: Uint8Array): void {
  owned.add(bytes);
}

export function isOwn(bytes: Uint8Array): boolean {
  return owned.has(bytes);
}

/** For the only user: neither the bytes nor a view of them is used any more, not even by the system. Does nothing to bytes that others
 *  may have as well. */
export function freeMemory(bytes: Uint8Array): void {
  if (owned.delete(bytes)) (bytes.buffer as ArrayBuffer).transfer(0);
}
