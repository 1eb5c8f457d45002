// Members of a ZIP in memory (APPNOTE 6.3), as office documents are: stored or deflated, without ZIP64. What comes out is bounded.

export interface Member {
  name: string;
  isDeflated: boolean;
  /** Where its local header begins. */
  offset: number;
  packedBytes: number;
}

const endMark = 0x06054b50;
const memberMark = 0x02014b50;
const endBytes = 22;
const maxCommentBytes = 65_535;

/** Throws if the bytes are no ZIP. */
export function listMembers(bytes: Uint8Array): Member[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  const members: Member[] = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    if (view.getUint32(at, true) !== memberMark) throw new Error('the directory of the ZIP is damaged');
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const nameAt = at + 46;
    members.push({
      name: new TextDecoder().decode(bytes.subarray(nameAt, nameAt + (nameBytes ?? 0))),
      isDeflated: view.getUint16(at + 10, true) === 8,
      offset: view.getUint32(at + 42, true),
      packedBytes: view.getUint32(at + 20, true),
    });
    at = nameAt + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0);
  }
  return members;
}

function findEnd(view: DataView): number {
  const first = Math.max(0, view.byteLength - endBytes - maxCommentBytes);
  for (let at = view.byteLength - endBytes; at >= first; at -= 1) {
    if (view.getUint32(at, true) === endMark) return at;
  }
  throw new Error('it is no ZIP');
}

/** The beginning of a member as text (UTF-8), at most so many bytes. */
export async function readMember(
  bytes: Uint8Array<ArrayBuffer>,
  { offset, packedBytes, isDeflated }: Member,
  maxBytes: number,
): Promise<string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  const packed = bytes.subarray(start, start + packedBytes);
  if (!isDeflated) return new TextDecoder().decode(packed.subarray(0, maxBytes));
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let left = maxBytes; left > 0; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value.subarray(0, left), { stream: true });
    left -= value.byteLength;
  }
  await reader.cancel();
  return text;
}
