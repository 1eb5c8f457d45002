// Tests that can be small or large: `npm test` takes the first number, `npm run test:long` the second. Everything else is the same.

export const isLong = process.env.TEST_SIZE === 'long';

export function sized(small: number, large: number): number {
  return isLong ? large : small;
}
