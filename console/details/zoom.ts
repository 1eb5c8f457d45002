// Steps of zooming.

const steps = [0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 12, 16];

/** The next step that is larger (`by` 1) or smaller (-1), within the range. */
export function nextZoom(zoom: number, by: 1 | -1, { min, max }: { min: number; max: number }): number {
  const found = by === 1 ? steps.find((one) => one > zoom * 1.01) : steps.findLast((one) => one < zoom * 0.99);
  return Math.min(max, Math.max(min, found ?? zoom));
}
