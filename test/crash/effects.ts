// Reads what the shim wrote down (the format stands at the head of shim.c): the file effects of the service, in order, and
// the moments at which answers went out.

import { readFileSync } from 'node:fs';

export type Effect =
  | { type: 'start' }
  | { type: 'create' | 'mkdir'; inode: number; path: string }
  | { type: 'write'; inode: number; place: number; bytes: Buffer }
  | { type: 'truncate'; inode: number; sizeBytes: number }
  | { type: 'sync-begun' | 'sync-ended'; inode: number; path: string; thread: number }
  | { type: 'rename'; from: string; to: string }
  | { type: 'unlink'; path: string }
  | { type: 'answer'; request: string; status: number };

const headBytes = 40;

export function readEffects(path: string): Effect[] {
  const log = readFileSync(path);
  const effects: Effect[] = [];
  // A process that was killed may have left half a record, and the next one has gone on behind it: then nothing can be read.
  for (let at = 0; at + headBytes <= log.length; ) {
    const pathLength = log.readUInt32LE(at + 24);
    const dataLength = log.readUInt32LE(at + 28);
    const pathEnd = at + headBytes + pathLength;
    const end = pathEnd + dataLength;
    const effect = toEffect({
      type: String.fromCharCode(log.readUInt32LE(at)),
      thread: log.readUInt32LE(at + 4),
      inode: Number(log.readBigUInt64LE(at + 8)),
      place: Number(log.readBigInt64LE(at + 16)),
      path: log.toString('utf8', at + headBytes, pathEnd),
      data: log.subarray(pathEnd, end),
    });
    if (effect !== null) effects.push(effect);
    at = end;
  }
  return effects;
}

interface Noted {
  type: string;
  thread: number;
  inode: number;
  place: number;
  path: string;
  data: Buffer;
}

function toEffect({ type, thread, inode, place, path, data }: Noted): Effect | null {
  switch (type) {
    case 'B':
      return { type: 'start' };
    case 'C':
      return { type: 'create', inode, path };
    case 'M':
      return { type: 'mkdir', inode, path };
    case 'W':
      return { type: 'write', inode, place, bytes: data };
    case 'T':
      return { type: 'truncate', inode, sizeBytes: place };
    case 'S':
      return { type: 'sync-begun', inode, path, thread };
    case 'E':
      return { type: 'sync-ended', inode, path, thread };
    case 'R':
      return { type: 'rename', from: path, to: data.toString() };
    case 'U':
      return { type: 'unlink', path };
    case 'A':
      return toAnswer(data.toString('latin1'));
    default:
      throw new Error(`the record of file effects has ${JSON.stringify(type)}, which nothing writes`);
  }
}

function toAnswer(head: string): Effect | null {
  const request = /^requesttrackingid: *([0-9a-f-]+)\r$/im.exec(head)?.[1];
  return request === undefined ? null : { type: 'answer', request, status: Number(head.slice(9, 12)) };
}
