// Runs work in parallel, with a limit.

/** Runs `work` for all items, `width` at a time. After the first error nothing more is started; work in progress is awaited. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const errors: unknown[] = [];
  const runNext = async () => {
    for (let next = iterator.next(); next.done !== true && errors.length === 0; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, runNext));
  if (errors.length > 0) throw errors[0];
}
