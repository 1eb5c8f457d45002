// Sound and video for tests: long enough that nobody fetches all of it to show the end.

import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

export const samplesPerSecond = 44_100;

/** Silence as WAV: 16 bits, one channel. */
export function makeSound(seconds: number): Buffer {
  const dataBytes = seconds * samplesPerSecond * 2;
  const sound = Buffer.alloc(44 + dataBytes);
  sound.write('RIFF', 0);
  sound.writeUInt32LE(36 + dataBytes, 4);
  sound.write('WAVEfmt ', 8);
  sound.writeUInt32LE(16, 16);
  sound.writeUInt16LE(1, 20);
  sound.writeUInt16LE(1, 22);
  sound.writeUInt32LE(samplesPerSecond, 24);
  sound.writeUInt32LE(samplesPerSecond * 2, 28);
  sound.writeUInt16LE(2, 32);
  sound.writeUInt16LE(16, 34);
  sound.write('data', 36);
  sound.writeUInt32LE(dataBytes, 40);
  return sound;
}

export const video = { width: 320, height: 240, seconds: 600 } as const;
const secondsPerFrame = 5;

/** Noise, encoded by the browser as key frames of VP8. */
const encodeFrames = `(async () => {
  const { width, height } = { width: ${video.width}, height: ${video.height} };
  const frames = [];
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength);
      chunk.copyTo(bytes);
      frames.push(bytes.toBase64 ? bytes.toBase64() : btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join('')));
    },
    error: (error) => { throw error; },
  });
  encoder.configure({ codec: 'vp8', width, height, bitrate: 20_000_000 });
  const pixels = new Uint8Array(width * height * 4);
  for (let index = 0; index < ${video.seconds / secondsPerFrame}; index += 1) {
    for (let at = 0; at < pixels.length; at += 65_536) crypto.getRandomValues(pixels.subarray(at, at + 65_536));
    const timestamp = index * ${secondsPerFrame} * 1e6;
    const frame = new VideoFrame(pixels, { format: 'RGBX', codedWidth: width, codedHeight: height, timestamp });
    encoder.encode(frame, { keyFrame: true });
    frame.close();
  }
  await encoder.flush();
  return frames;
})()`;

/** Ten minutes of noise as WebM (https://www.webmproject.org/docs/container/), with an index. `page` has a secure address. */
export async function makeVideo(page: Page): Promise<Buffer> {
  const frames = ((await page.evaluate(encodeFrames)) as string[]).map((frame) => Buffer.from(frame, 'base64'));
  assert.equal(frames.length, video.seconds / secondsPerFrame);
  const toMs = (index: number) => index * secondsPerFrame * 1000;
  const clusters = frames.map((frame, index) =>
    element('1F43B675', uint('E7', toMs(index)), element('A3', Buffer.from([0x81, 0, 0, 0x80]), frame)),
  );
  const head = Buffer.concat([
    element('1549A966', uint('2AD7B1', 1_000_000), float('4489', video.seconds * 1000)),
    element(
      '1654AE6B',
      element(
        'AE',
        ...[uint('D7', 1), uint('73C5', 1), uint('83', 1), element('86', Buffer.from('V_VP8'))],
        element('E0', uint('B0', video.width), uint('BA', video.height)),
      ),
    ),
  ]);
  const toCues = (start: number) => {
    let at = start;
    const points = clusters.map((cluster, index) => {
      const point = element('BB', uint('B3', toMs(index)), element('B7', uint('F7', 1), uint('F1', at)));
      at += cluster.length;
      return point;
    });
    return element('1C53BB6B', ...points);
  };
  // Numbers have a fixed length: the index is as long wherever the clusters are.
  const cues = toCues(head.length + toCues(0).length);
  const form = element('1A45DFA3', element('4282', Buffer.from('webm')), uint('4287', 2), uint('4285', 2));
  return Buffer.concat([form, element('18538067', head, cues, ...clusters)]);
}

function element(id: string, ...parts: Buffer[]): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(parts.reduce((sum, part) => sum + part.length, 0)));
  size[0] = 1;
  return Buffer.concat([Buffer.from(id, 'hex'), size, ...parts]);
}

function uint(id: string, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return element(id, bytes);
}

function float(id: string, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return element(id, bytes);
}
