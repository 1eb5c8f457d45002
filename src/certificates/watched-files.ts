// Files that may change while the service runs: certificates, keys, revocation lists. Their metadata is polled twice a second, which
// also detects files that are replaced by renaming, and symbolic links that are changed.

import { readFileSync, statSync } from 'node:fs';
import { type Clock, systemClock } from '../runtime/clock.ts';

const lookEveryMs = 500;

export interface Watched<Value> {
  /** From the last valid contents of the files. */
  readonly value: Value;
  close(): void;
}

export interface WatchOptions<Value> {
  paths: readonly string[];
  /** Throws for invalid contents, such as a key that does not match its certificate. */
  load(files: readonly Buffer[]): Value | Promise<Value>;
  onChange?: (value: Value) => void;
  /** The new contents are invalid: the earlier ones stay in use. */
  onMistake(error: unknown): void;
  clock?: Clock;
}

/** Throws if the files are invalid at first. */
export async function watchFiles<Value>(options: WatchOptions<Value>): Promise<Watched<Value>> {
  const { paths, load, onChange, onMistake, clock = systemClock } = options;
  let seen = describe(paths);
  /** The state whose mistake was reported: it is reported once. */
  let reported = '';
  let value = await load(paths.map((path) => readFileSync(path)));
  let isLoading = false;
  const look = async () => {
    const now = describe(paths);
    if (now === seen || isLoading) return;
    isLoading = true;
    try {
      const files = paths.map((path) => readFileSync(path));
      seen = now;
      value = await load(files);
      onChange?.(value);
    } catch (error) {
      if (now !== reported) onMistake(error);
      reported = now;
    } finally {
      isLoading = false;
    }
  };
  const timer = clock.every(lookEveryMs, () => void look());
  return {
    get value() {
      return value;
    },
    close: () => timer.cancel(),
  };
}

function describe(paths: readonly string[]): string {
  return paths
    .map((path) => {
      try {
        const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
        return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
      } catch (error) {
        // A missing or unreadable file is a state like any other.
        return String((error as NodeJS.ErrnoException).code);
      }
    })
    .join('\n');
}
