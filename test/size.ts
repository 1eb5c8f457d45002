// Tests that can be small or large: `npm test` takes the first number, `npm run test:long` the second. Everything else is the same.

export const isLong = process.env.TEST_SIZE === 'long';

export function sized<Size>(small: Size, large: Size): Size {
  return isLong ? large : small;
}
