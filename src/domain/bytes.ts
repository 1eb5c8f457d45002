// Numbers of bytes as people write them: `10GiB`.

const units: Record<string, number> = { '': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };

/** Undefined: it is none, or more than can be counted exactly. */
export function toBytes(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,15})\s*([KMGT]iB)?$/.exec(text) ?? [];
  const bytes = digits === undefined ? Number.NaN : Number(digits) * (units[unit ?? ''] as number);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
