// The size of a cache with entries that count alike. `max` of lru-cache reserves arrays for all entries at once, which took 20 ms of
// every start; this makes them grow with what is kept.

/** Options of an `LRUCache` that keeps so many entries. */
export function atMost(entries: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
