// Reads the members of a ZIP, for office documents. Sizes in the directory are not trusted: the output of a member is counted and
// limited.

import { inflateRawSync } from 'node:zlib';
import { Unreadable } from './unreadable.ts';

const endSignature = 0x06054b50;
const directorySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endBytes = 22;
const maxCommentBytes = 65_535;
const maxMembers = 20_000;
const encryptedFlag = 0x1;

interface Member {
  name: string;
  flags: number;
  method: number;
  packedBytes: number;
  at: number;
}

export function listMembers(bytes: Buffer): Map<string, Member> {
  const end = findEnd(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  if (at === 0xffffffff || count === 0xffff)
    throw new Unreadable('it is a ZIP of a kind that documents are not made of');
  const members = new Map<string, Member>();
  for (let index = 0; index < Math.min(count, maxMembers); index += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== directorySignature) throw broken();
    const nameBytes = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameBytes);
    members.set(name, {
      name,
      flags: bytes.readUInt16LE(at + 8),
      method: bytes.readUInt16LE(at + 10),
      packedBytes: bytes.readUInt32LE(at + 20),
      at: bytes.readUInt32LE(at + 42),
    });
    at += 46 + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return members;
}

function findEnd(bytes: Buffer): number {
  const first = Math.max(0, bytes.length - endBytes - maxCommentBytes);
  for (let at = bytes.length - endBytes; at >= first; at -= 1) {
    if (bytes.readUInt32LE(at) === endSignature) return at;
  }
  throw broken();
}

export function readMember(bytes: Buffer, { flags, method, packedBytes, at }: Member, maxBytes: number): Buffer {
  if ((flags & encryptedFlag) !== 0) throw new Unreadable('it is encrypted');
  if (at + 30 > bytes.length || bytes.readUInt32LE(at) !== localSignature) throw broken();
  const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const packed = bytes.subarray(start, start + packedBytes);
  if (packed.length < packedBytes) throw broken();
  if (method === 0) {
    if (packedBytes > maxBytes) throw tooLarge();
    return packed;
  }
  if (method !== 8) throw new Unreadable('it is packed in a way that documents are not');
  try {
    return inflateRawSync(packed, { maxOutputLength: maxBytes });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : broken();
  }
}

function broken(): Unreadable {
  return new Unreadable('it is damaged');
}

function tooLarge(): Unreadable {
  return new Unreadable('it unpacks to more than a document should');
}
