// Several things at a time.

/** Runs `work` for all of them, `width` at a time. The first error ends it: nothing more is begun, and what is under way is awaited. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const errors: unknown[] = [];
  const takeTurns = async () => {
    for (let next = iterator.next(); next.done !== true && errors.length === 0; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: width }, takeTurns));
  if (errors.length > 0) throw errors[0];
}
