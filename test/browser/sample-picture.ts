// A picture for the samples: a sun over hills, drawn point by point into a PNG (ISO/IEC 15948).

import { crc32, deflateSync } from 'node:zlib';

const [width, height] = [320, 208];
const sky = [244, 190, 120] as const;
const hills = [
  { base: 120, rise: 26, length: 47, colour: [120, 150, 130] },
  { base: 150, rise: 18, length: 31, colour: [62, 112, 96] },
  { base: 178, rise: 12, length: 23, colour: [23, 89, 74] },
] as const;

export function drawPicture(): Buffer {
  const lines = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_, x) => pointAt(x, y)).flat()]),
  );
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // Eight bits for each of red, green and blue.
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(Buffer.concat(lines))), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...parts]);
}

function pointAt(x: number, y: number): number[] {
  const hill = hills.findLast(({ base, rise, length }) => y > base - rise * Math.sin(x / length + base));
  if (hill !== undefined) return [...hill.colour];
  if (Math.hypot(x - 224, y - 74) < 30) return [255, 246, 222];
  return sky.map((one) => Math.round(one + (y / height) * (235 - one)));
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
