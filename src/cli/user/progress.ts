// Progress on standard error: a bar that is redrawn on a terminal, a plain line every few seconds elsewhere. Counts bytes and files;
// the rate is that of the last seconds.

import { toPrintable } from '../output.ts';
import { type Counts, type ProgressState, renderBar, renderLine } from './progress-line.ts';

interface Sample {
  atMs: number;
  bytes: number;
}

interface Terminal {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const drawEveryMs = 100;
const printEveryMs = 5000;
/** The rate is measured over this time. */
const windowMs = 5000;
const eraseLine = '\r\x1b[K';

export class Progress {
  readonly #verb: string;
  readonly #terminal: Terminal;
  readonly #isDrawn: boolean;
  readonly #timer: NodeJS.Timeout | null;
  #samples: Sample[] = [{ atMs: performance.now(), bytes: 0 }];
  #done: Counts = { files: 0, bytes: 0 };
  #total: Counts | null = null;
  #name = '';

  /** `isQuiet`: show nothing. */
  constructor(verb: string, isQuiet: boolean, terminal: Terminal = process.stderr) {
    this.#verb = verb;
    this.#terminal = terminal;
    this.#isDrawn = terminal.isTTY === true;
    const show = () => this.#show();
    this.#timer = isQuiet ? null : setInterval(show, this.#isDrawn ? drawEveryMs : printEveryMs).unref();
  }

  expect(total: Counts): void {
    this.#total = total;
  }

  begin(name: string): void {
    this.#name = name;
  }

  /** Negative when a transfer starts over. */
  addBytes(bytes: number): void {
    this.#done.bytes += bytes;
  }

  addFile(): void {
    this.#done.files += 1;
  }

  /** A line of its own, above the bar. */
  print(line: string): void {
    this.#terminal.write(`${this.#isDrawn ? eraseLine : ''}${toPrintable(line)}\n`);
  }

  close(): void {
    if (this.#timer === null) return;
    clearInterval(this.#timer);
    if (this.#isDrawn) this.#terminal.write(eraseLine);
  }

  #show(): void {
    const atMs = performance.now();
    this.#samples.push({ atMs, bytes: this.#done.bytes });
    // The last sample before the window stays as its start.
    while ((this.#samples[1]?.atMs ?? atMs) < atMs - windowMs) this.#samples.shift();
    const state: ProgressState = {
      verb: this.#verb,
      done: this.#done,
      total: this.#total,
      bytesPerSecond: this.#rate(atMs),
      name: toPrintable(this.#name),
    };
    if (this.#isDrawn) this.#terminal.write(`${eraseLine}${renderBar(state, this.#terminal.columns || 80)}`);
    else this.#terminal.write(`${renderLine(state)}\n`);
  }

  #rate(atMs: number): number {
    const [oldest] = this.#samples;
    if (oldest === undefined || atMs <= oldest.atMs) return 0;
    return Math.max(0, ((this.#done.bytes - oldest.bytes) * 1000) / (atMs - oldest.atMs));
  }
}
