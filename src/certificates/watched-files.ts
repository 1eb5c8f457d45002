// Files that may change while the service runs: certificates, keys, revocation lists. They are looked at twice a second,
// by what the file system says of them: that also sees files that are replaced by renaming, and links that are turned.

import { readFileSync, statSync } from 'node:fs';
import { type Clock, systemClock } from '../runtime/clock.ts';

const lookEveryMs = 500;

export interface Watched<Value> {
  /** What the files held when they could last be read and made sense. */
  readonly value: Value;
  close(): void;
}

export interface WatchOptions<Value> {
  paths: readonly string[];
  /** Throws for what makes no sense, such as a key that does not go with its certificate. */
  load(files: readonly Buffer[]): Value | Promise<Value>;
  onChange?: (value: Value) => void;
  /** The files changed to what makes no sense: what was there before stays in force. */
  onMistake(error: unknown): void;
  clock?: Clock;
}

/** Throws if the files make no sense to begin with. */
export async function watchFiles<Value>(options: WatchOptions<Value>): Promise<Watched<Value>> {
  const { paths, load, onChange, onMistake, clock = systemClock } = options;
  let seen = describe(paths);
  /** What could not be read, and was told: it is tried again without a word. */
  let told = '';
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
      if (now !== told) onMistake(error);
      told = now;
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
        // Gone, or not to be reached: that it is so is what is seen of it.
        return String((error as NodeJS.ErrnoException).code);
      }
    })
    .join('\n');
}
