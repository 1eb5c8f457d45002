// The CRC-32 of bytes that were summed piece by piece: checksums of neighbours are joined without looking at the bytes.
// A checksum is a polynomial over GF(2), reflected: bit 31 is x^0. Appending n zero bytes multiplies it by x^(8n).

const polynomial = 0xedb88320;
const one = 0x80000000;

/** x^(2^k) for each k; from 32 on they come round again. */
const powers = makePowers();

function makePowers(): readonly number[] {
  const made = [0x40000000];
  while (made.length < 32) made.push(multiply(made.at(-1) as number, made.at(-1) as number));
  return made;
}

function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ polynomial;
  }
  return product >>> 0;
}

/** x^(8n). */
function toShift(byteCount: number): number {
  let shift = one;
  for (let left = byteCount, k = 3; left > 0; left = Math.floor(left / 2), k += 1) {
    if (left % 2 === 1) shift = multiply(powers[k % 32] as number, shift);
  }
  return shift;
}

/** The checksum of A followed by B, from those of A and of B and from how many bytes B has. */
export function combineCrc32(a: number, b: number, byteCountOfB: number): number {
  return (multiply(toShift(byteCountOfB), a) ^ b) >>> 0;
}

/** Of a whole content, from the checksum of each of its chunks (unsigned, little endian; the last one may be shorter). */
export function toWholeCrc32(checksums: Uint8Array, sizeBytes: number, chunkBytes: number): number {
  const view = new DataView(checksums.buffer, checksums.byteOffset, checksums.byteLength);
  const shift = toShift(chunkBytes);
  const count = Math.ceil(sizeBytes / chunkBytes);
  let whole = 0;
  for (let index = 0; index < count; index += 1) {
    const isWholeChunk = (index + 1) * chunkBytes <= sizeBytes;
    const by = isWholeChunk ? shift : toShift(sizeBytes % chunkBytes);
    whole = (multiply(by, whole) ^ view.getUint32(index * 4, true)) >>> 0;
  }
  return whole;
}
