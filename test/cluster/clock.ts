// Loaded into a node before anything else, by NODE_OPTIONS: its clock is wrong by CLOCK_SHIFT_MS, in every thread.

const shiftMs = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...words: unknown[]) {
    if (words.length === 0) super(RealDate.now() + shiftMs);
    else super(...(words as [number]));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

if (shiftMs !== 0) globalThis.Date = ShiftedDate as DateConstructor;

/** The words that make a program run with such a clock. */
export function withClock(shift: number): string[] {
  return ['env', `CLOCK_SHIFT_MS=${shift}`, `NODE_OPTIONS=--import=${import.meta.filename}`];
}
