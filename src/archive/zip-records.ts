// The records of a ZIP file (APPNOTE.TXT 6.3), little endian. Everything is stored, sizes and checksums stand before the
// bytes, names are UTF-8 (flag bit 11). What does not fit into 32 or 16 bits stands in the Zip64 fields instead.

/** The fields of an entry, written before its bytes and again in the central directory. */
export interface ZipFacts {
  /** `a/b.txt`; a folder's ends with a slash. */
  name: Buffer;
  isFolder: boolean;
  modifiedAtMs: number;
  sizeBytes: number;
  crc32: number;
}

const full16 = 0xffff;
const full32 = 0xffffffff;
const utf8Names = 0x0800;
/** Unix, so that programs that extract it use the mode. */
const madeByUnix = 3 << 8;
const fileMode = 0o100644;
const folderMode = 0o040755;
const dosFolder = 0x10;
const plainVersion = 20;
const zip64Version = 45;

export function toLocalHeader(facts: ZipFacts): Buffer {
  const isLarge = facts.sizeBytes >= full32;
  // Both sizes must be there if one is (4.5.3).
  const extra = Buffer.concat([toTimeField(facts), toZip64Field(isLarge ? [facts.sizeBytes, facts.sizeBytes] : [])]);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(isLarge ? zip64Version : plainVersion, 4);
  writeCommon(header, 6, facts);
  header.writeUInt16LE(facts.name.length, 26);
  header.writeUInt16LE(extra.length, 28);
  return Buffer.concat([header, facts.name, extra]);
}

/** `offset`: where the local header begins. */
export function toCentralHeader(facts: ZipFacts, offset: number): Buffer {
  const { sizeBytes, isFolder, name } = facts;
  const large = [...(sizeBytes >= full32 ? [sizeBytes, sizeBytes] : []), ...(offset >= full32 ? [offset] : [])];
  const extra = Buffer.concat([toTimeField(facts), toZip64Field(large)]);
  const version = large.length > 0 ? zip64Version : plainVersion;
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(madeByUnix | version, 4);
  header.writeUInt16LE(version, 6);
  writeCommon(header, 8, facts);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(isFolder ? ((folderMode << 16) | dosFolder) >>> 0 : (fileMode << 16) >>> 0, 38);
  header.writeUInt32LE(Math.min(offset, full32), 42);
  return Buffer.concat([header, name, extra]);
}

/** Flags, method, time, checksum and sizes: the same in both headers. */
function writeCommon(header: Buffer, at: number, { modifiedAtMs, crc32, sizeBytes }: ZipFacts): void {
  const { date, time } = toDosTime(modifiedAtMs);
  header.writeUInt16LE(utf8Names, at);
  header.writeUInt16LE(0, at + 2);
  header.writeUInt16LE(time, at + 4);
  header.writeUInt16LE(date, at + 6);
  header.writeUInt32LE(crc32, at + 8);
  header.writeUInt32LE(Math.min(sizeBytes, full32), at + 12);
  header.writeUInt32LE(Math.min(sizeBytes, full32), at + 16);
}

/** In steps of two seconds, from 1980 to 2107, in no time zone: we mean UTC. The exact time stands in the time field. */
function toDosTime(ms: number): { date: number; time: number } {
  const at = new Date(Math.min(Math.max(ms, Date.UTC(1980)), Date.UTC(2107, 11, 31, 23, 59, 58)));
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return { date, time };
}

/** The extended timestamp: seconds since 1970, signed, 32 bits. None for a time that does not fit. */
function toTimeField({ modifiedAtMs }: ZipFacts): Buffer {
  const seconds = Math.floor(modifiedAtMs / 1000);
  if (seconds !== (seconds | 0)) return Buffer.alloc(0);
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x5455, 0);
  field.writeUInt16LE(5, 2);
  field.writeUInt8(1, 4);
  field.writeInt32LE(seconds, 5);
  return field;
}

function toZip64Field(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0);
  const field = Buffer.alloc(4 + values.length * 8);
  field.writeUInt16LE(0x0001, 0);
  field.writeUInt16LE(values.length * 8, 2);
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + index * 8);
  return field;
}

interface CentralDirectory {
  count: number;
  sizeBytes: number;
  offset: number;
}

/** The records after the central directory, which point to it. */
export function toEnd(central: CentralDirectory): Buffer {
  const { count, sizeBytes, offset } = central;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, full16), 8);
  end.writeUInt16LE(Math.min(count, full16), 10);
  end.writeUInt32LE(Math.min(sizeBytes, full32), 12);
  end.writeUInt32LE(Math.min(offset, full32), 16);
  const isLarge = count >= full16 || sizeBytes >= full32 || offset >= full32;
  return isLarge ? Buffer.concat([toZip64End(central), end]) : end;
}

function toZip64End({ count, sizeBytes, offset }: CentralDirectory): Buffer {
  const end = Buffer.alloc(56 + 20);
  end.writeUInt32LE(0x06064b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE(madeByUnix | zip64Version, 12);
  end.writeUInt16LE(zip64Version, 14);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(sizeBytes), 40);
  end.writeBigUInt64LE(BigInt(offset), 48);
  // The locator.
  end.writeUInt32LE(0x07064b50, 56);
  end.writeBigUInt64LE(BigInt(offset + sizeBytes), 64);
  end.writeUInt32LE(1, 72);
  return end;
}
