// Clients that send requests without pause, to see whether a change fails even one of them.

export interface Stream {
  /** Resolves when each client has had this many responses since the call. */
  go(times: number): Promise<void>;
  /** How many requests were answered as they should be; what went wrong with the others. */
  stop(): Promise<{ count: number; failures: string[] }>;
}

/** `ask` makes one request and says what was wrong with the answer; null: nothing. */
export function openStream(clients: number, ask: (client: number) => Promise<string | null>): Stream {
  const counts = Array<number>(clients).fill(0);
  const failures: string[] = [];
  let isOver = false;
  const goOn = async (client: number) => {
    while (!isOver) {
      const problem = await ask(client).catch(String);
      if (problem !== null) failures.push(problem);
      counts[client] = (counts[client] as number) + 1;
    }
  };
  const running = counts.map((_, client) => goOn(client));
  return {
    async go(times) {
      const from = [...counts];
      while (counts.some((count, client) => count < (from[client] as number) + times)) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async stop() {
      isOver = true;
      await Promise.all(running);
      return { count: counts.reduce((sum, count) => sum + count, 0) - failures.length, failures };
    },
  };
}
