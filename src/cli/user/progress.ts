// Progress of what takes long, on standard error: a line that is drawn again and again on a terminal, a plain line every few
// seconds elsewhere. Counts bytes and files; the rate is that of the last seconds.

import { toPrintable } from '../output.ts';
import { type Counts, type Drawn, renderBar, renderLine } from './progress-line.ts';

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
const tellEveryMs = 5000;
/** The rate is taken over this long. */
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

  /** `isQuiet`: nothing is shown, for those who redirect it all. */
  constructor(verb: string, isQuiet: boolean, terminal: Terminal = process.stderr) {
    this.#verb = verb;
    this.#terminal = terminal;
    this.#isDrawn = terminal.isTTY === true;
    const show = () => this.#show();
    this.#timer = isQuiet ? null : setInterval(show, this.#isDrawn ? drawEveryMs : tellEveryMs).unref();
  }

  expect(total: Counts): void {
    this.#total = total;
  }

  begin(name: string): void {
    this.#name = name;
  }

  /** Less than nothing where a transfer begins anew. */
  addBytes(bytes: number): void {
    this.#done.bytes += bytes;
  }

  addFile(): void {
    this.#done.files += 1;
  }

  /** A line of its own, above the bar. */
  tell(line: string): void {
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
    // The last one before the window stays: the rate is that since then.
    while ((this.#samples[1]?.atMs ?? atMs) < atMs - windowMs) this.#samples.shift();
    const drawn: Drawn = {
      verb: this.#verb,
      done: this.#done,
      total: this.#total,
      bytesPerSecond: this.#rate(atMs),
      name: toPrintable(this.#name),
    };
    if (this.#isDrawn) this.#terminal.write(`${eraseLine}${renderBar(drawn, this.#terminal.columns || 80)}`);
    else this.#terminal.write(`${renderLine(drawn)}\n`);
  }

  #rate(atMs: number): number {
    const [oldest] = this.#samples;
    if (oldest === undefined || atMs <= oldest.atMs) return 0;
    return Math.max(0, ((this.#done.bytes - oldest.bytes) * 1000) / (atMs - oldest.atMs));
  }
}
