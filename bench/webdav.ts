// The scenario `webdav`: processor time of a PUT of 4 KiB beside that of a REST save, and of a PROPFIND of a folder. `--size`: how
// many entries the folder has.

import { randomBytes } from 'node:crypto';
import type { Children } from './children.ts';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { measureBatch, type Request, untilQuiet } from './cost.ts';
import { bodySizeBytes } from './job.ts';
import type { Options } from './options.ts';
import { type Scenario, say } from './scenario.ts';
import { createFolder, type Service, startService } from './service.ts';
import { divide, layOut, medianKnown, show } from './table.ts';

const requestsPerRound = 1500;
const listingsPerRound = 30;
const inFlight = 16;
const highestRatio = 1.3;
/** For 1,000 entries. */
const highestListingMs = 30;

/** What file managers ask for. */
const named = ['displayname', 'getcontentlength', 'getlastmodified', 'getetag', 'resourcetype', 'getcontenttype'];
const namedBody = `<D:propfind xmlns:D="DAV:"><D:prop>${named.map((name) => `<D:${name}/>`).join('')}</D:prop></D:propfind>`;

const kinds = ['REST save', 'PUT', 'PROPFIND, six properties', 'PROPFIND, all'] as const;
type Kind = (typeof kinds)[number];
type Figures = Record<Kind, (number | null)[]>;

export const webdav: Scenario = {
  what: 'a PUT of 4 KiB over WebDAV beside a REST save, and a PROPFIND of a folder, by processor time',
  size: 1000,
  async run(children, options) {
    const size = options.size ?? 0;
    const bench = await openBench(children, options);
    await bench.fill(size);
    const micros: Figures = { 'REST save': [], PUT: [], 'PROPFIND, six properties': [], 'PROPFIND, all': [] };
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const kind of kinds) {
        await untilQuiet(children, bench.service, options);
        const { cpuMicros } = await measureBatch(bench.service.pid, bench.requests[kind](`${round}`), inFlight);
        say(`round ${round}, ${kind}: ${show(cpuMicros, 0)} µs`);
        micros[kind].push(cpuMicros);
      }
    }
    bench.close();
    return toOutcome(micros, options, size);
  },
};

interface Bench {
  service: Service;
  requests: Record<Kind, (label: string) => Request[]>;
  fill(size: number): Promise<void>;
  close(): void;
}

async function openBench(children: Children, options: Options): Promise<Bench> {
  const service = await startService(children, options);
  const { base, application, headers } = service;
  const folderId = await createFolder(service, 'saved');
  await createFolder(service, 'listed');
  const basic = Buffer.from(`${application.AppKey}:${application.Secret}`).toString('base64');
  const rest = new Client({ base, headers });
  const dav = new Client({ base, headers: { Authorization: `Basic ${basic}` } });
  const body = () => randomBytes(bodySizeBytes);
  const save = async (name: string) => {
    const own = { FolderId: folderId, FileName: name, Prefer: 'return=minimal', 'Content-Type': 'text/plain' };
    return (await rest.ask('/files', { method: 'POST', headers: own, body: body() })).ms;
  };
  const put = async (path: string) => {
    const request = { method: 'PUT', headers: { 'Content-Type': 'text/plain' }, body: body(), status: 201 };
    return (await dav.ask(`${base}/dav/bench/${path}`, request)).ms;
  };
  const list = async (wanted: string) => {
    const request = { method: 'PROPFIND', headers: { Depth: '1' }, body: wanted, status: 207 };
    return (await dav.ask(`${base}/dav/bench/listed/`, request)).ms;
  };
  return {
    service,
    requests: {
      'REST save': (label) => several(requestsPerRound, (n) => save(`rest-${label}-${n}`)),
      PUT: (label) => several(requestsPerRound, (n) => put(`saved/put-${label}-${n}`)),
      'PROPFIND, six properties': () => several(listingsPerRound, () => list(namedBody)),
      'PROPFIND, all': () => several(listingsPerRound, () => list('')),
    },
    async fill(size) {
      const requests = several(size, (n) => put(`listed/a%20file%20with%20a%20name%20${n}.txt`));
      await measureBatch(service.pid, requests, inFlight);
    },
    close() {
      rest.close();
      dav.close();
    },
  };
}

function several(count: number, request: (n: number) => Promise<number>): Request[] {
  return Array.from({ length: count }, (_, n) => () => request(n));
}

function toOutcome(micros: Figures, options: Options, size: number) {
  const medians = kinds.map((kind) => [kind, medianKnown(micros[kind])] as const);
  const of = Object.fromEntries(medians) as Record<Kind, number | null>;
  const ratio = divide(of.PUT, of['REST save']);
  const listing = of['PROPFIND, six properties'];
  const listingMs = listing === null ? null : listing / 1000;
  const wantedMs = (highestListingMs * size) / 1000;
  const isHeld = (ratio ?? 0) <= highestRatio && (listingMs ?? 0) <= wantedMs;
  const table = layOut(
    ['request', 'processor µs', 'of each round'],
    medians.map(([kind, value]) => [kind, show(value, 0), micros[kind].map((one) => show(one, 0)).join(', ')]),
  );
  const verdict = [
    `PUT ÷ REST save: ${show(ratio, 2)} (≤ ${highestRatio}: ${(ratio ?? 0) <= highestRatio ? 'holds' : 'missed'}).`,
    `PROPFIND of ${size} entries: ${show(listingMs, 1)} ms (≤ ${wantedMs}: ${(listingMs ?? 0) <= wantedMs ? 'holds' : 'missed'}).`,
  ];
  const facts = describeConditions(options, [`saves of ${bodySizeBytes} bytes`, `a folder of ${size} entries`]);
  return { markdown: `${facts}\n\n${table}\n\n${verdict.join(' ')}\n`, isHeld, figures: { micros, ratio, listingMs } };
}
