// A log of lines in S3: one object for each line, in the order of their names. Locked objects cannot be changed or removed before
// their time, not even by the owner of the bucket.

import type { Clock } from '../../runtime/clock.ts';
import type { LineLog } from '../../runtime/line-log.ts';
import { Bucket, type S3Place, toBody } from './bucket.ts';
import { s3Files } from './file-store.ts';

const dayMs = 24 * 60 * 60 * 1000;
const atOnce = 16;

/** `lockDays`: null: as the bucket says. */
export function s3Lines(place: S3Place, { lockDays, clock }: { lockDays: number | null; clock: Clock }): LineLog {
  const bucket = new Bucket(place);
  const files = s3Files(place, '');
  const read = async (name: string) =>
    Buffer.from(await files.read(name))
      .toString('utf8')
      .trimEnd();
  return {
    async append(line, name) {
      const until = lockDays === null ? null : new Date(clock.now() + lockDays * dayMs);
      await bucket.put(`${bucket.prefix}${name}.json`, toBody(Buffer.from(`${line}\n`)), until);
    },
    async read() {
      const names = (await files.list()).sort();
      const lines: string[] = [];
      for (let from = 0; from < names.length; from += atOnce) {
        lines.push(...(await Promise.all(names.slice(from, from + atOnce).map(read))));
      }
      return lines;
    },
  };
}
