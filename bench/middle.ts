// The scenario `middle`: saves of the files that offices have, 16 KiB to 16 MiB, beside bare Node (the body into a synced file),
// nginx and MinIO; no two alike, and then the same bytes again and again.

import { startAll } from './beside.ts';
import { Comparison } from './comparison.ts';
import { describeConditions } from './conditions.ts';
import { warmupOf } from './options.ts';
import { fileServers, stopObjectStores } from './peers/file-servers.ts';
import type { Scenario } from './scenario.ts';

const kibibyte = 1024;

type Line = { name: string; kib: number; connections: number; isBodyRepeated: boolean };

const sizes: [name: string, kib: number, connections: number][] = [
  ['16 KiB', 16, 32],
  ['64 KiB', 64, 32],
  ['256 KiB', 256, 32],
  ['1 MiB', 1024, 32],
  ['4 MiB', 4096, 16],
  ['16 MiB', 16_384, 8],
];

const lines: Line[] = [false, true].flatMap((isBodyRepeated) =>
  sizes.map(([name, kib, connections]) => ({
    name: isBodyRepeated ? `${name}, the same bytes` : name,
    kib,
    connections,
    isBodyRepeated,
  })),
);

const bars = {
  perSecond: { minio: { '64 KiB': 1.5, '256 KiB': 1.5, '1 MiB': 1.5 } },
  cpu: {},
};

export const middle: Scenario = {
  what: 'saves of 16 KiB to 16 MiB beside bare Node, nginx and MinIO',
  size: null,
  async run(children, options) {
    try {
      const servers = await startAll(children, options, fileServers);
      const chosen = lines.filter(({ name }) => options.lines?.some((word) => name.includes(word)) ?? true);
      const comparison = new Comparison(children, servers);
      for (let round = 1; round <= options.rounds; round++)
        for (const { name, kib, connections, isBodyRepeated } of chosen)
          await comparison.measure(name, ({ target }) => ({
            ...target,
            connections,
            isBodyRepeated,
            bodyBytes: kib * kibibyte,
            label: `r${round}-${lines.findIndex((line) => line.name === name)}`,
            areNamesOrdered: false,
            limit: { seconds: options.seconds, warmupSeconds: warmupOf(round, options) },
          }));
      return comparison.toOutcome(describeConditions(options, comparison.facts(options)), bars);
    } finally {
      await stopObjectStores();
    }
  },
};
