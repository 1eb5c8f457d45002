// The scenario `download`: a very large file, saved once and read back whole and in parts, and what memory the service takes for it.
// Its bytes can be told for any place in it, so that every part is checked without a copy. `--size` is in MiB.

import { createHash } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { Client } from './client.ts';
import { describeConditions } from './conditions.ts';
import { toDownloadSteps } from './download-steps.ts';
import { GeneratedFile } from './generated-file.ts';
import type { Options } from './options.ts';
import { readPeakRssBytes, readRssBytes, resetPeakRss } from './process-cost.ts';
import { type Scenario, say, sleep } from './scenario.ts';
import { createFolder, type Service, startService } from './service.ts';
import { layOut, show } from './table.ts';

const mebibyte = 1024 * 1024;
/** The service keeps some room free; the rest is for the catalog. */
const spareBytes = 2 * 1024 * mebibyte;
/** A small file, read back the same way, shows what memory reading takes at all. */
const smallShare = 64;
/** How much more memory the large one may take: what the garbage collector lets lie. */
const mostGrownBytes = 64 * mebibyte;

type Row = { what: string; sizeBytes: number; readBytes: number; seconds: number; peakBytes: number | null };

export const download: Scenario = {
  what: 'a very large file, downloaded whole and in ranges, and the memory that takes',
  size: 5 * 1024,
  async run(children, options) {
    const sizeBytes = (options.size ?? 0) * mebibyte;
    requireRoom(options, sizeBytes);
    const service = await startService(children, options);
    const client = new Client(service);
    await sleep(1000);
    const idleBytes = readRssBytes(service.pid);
    const folder = await createFolder(service, 'large files');
    const rows: Row[] = [];
    for (const bytes of [Math.ceil(sizeBytes / smallShare), sizeBytes]) {
      const file = new GeneratedFile(bytes);
      rows.push(...(await measureFile({ client, service, folder, scratch: children.folder }, file)));
    }
    client.close();
    const grown = toGrown(rows);
    const isHeld = grown === null || grown <= mostGrownBytes;
    return { markdown: toMarkdown(rows, { options, idleBytes, grown, isHeld }), isHeld, figures: { rows, idleBytes } };
  },
};

function requireRoom({ dataParent }: Options, sizeBytes: number): void {
  const { bavail, bsize } = statfsSync(dataParent);
  const needed = sizeBytes * (1 + 1 / smallShare) + spareBytes;
  if (bavail * bsize < needed)
    throw new Error(`${dataParent} has ${toMib(bavail * bsize)} MiB free, ${toMib(needed)} MiB are needed; see --data`);
}

type Place = { client: Client; service: Service; folder: string; scratch: string };

async function measureFile({ client, service, folder, scratch }: Place, file: GeneratedFile): Promise<Row[]> {
  const rows: Row[] = [];
  const record = async (what: string, run: () => Promise<number | null>) => {
    resetPeakRss(service.pid);
    const startMs = performance.now();
    const readBytes = await run();
    if (readBytes === null) return;
    const seconds = (performance.now() - startMs) / 1000;
    say(`${what}, ${toMib(file.sizeBytes)} MiB: ${seconds.toFixed(1)} s`);
    rows.push({ what, sizeBytes: file.sizeBytes, readBytes, seconds, peakBytes: readPeakRssBytes(service.pid) });
  };
  let id = '';
  await record('save', async () => {
    id = await save(client, folder, file);
    return file.sizeBytes;
  });
  const steps = toDownloadSteps({ client, service, id, file, scratch });
  for (const [what, run] of Object.entries(steps)) await record(what, run);
  return rows;
}

async function save(client: Client, folder: string, file: GeneratedFile): Promise<string> {
  const headers = {
    FolderId: folder,
    FileName: `${file.sizeBytes}.bin`,
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(file.sizeBytes),
    Prefer: 'return=minimal',
  };
  const digest = createHash('sha256');
  const body = file.read(0, file.sizeBytes).on('data', (piece: Buffer) => digest.update(piece));
  const answer = await client.ask('/files', { method: 'POST', headers, body });
  const id = String(answer.headers.entryid);
  const { Sha256 } = await client.json<{ Sha256: string }>(`/entries/${id}`);
  if (Sha256 !== digest.digest('hex')) throw new Error('the saved file has another digest than what was sent');
  return id;
}

/** The highest peak of the large file's downloads above that of the small one's. */
function toGrown(rows: readonly Row[]): number | null {
  const largest = Math.max(...rows.map(({ sizeBytes }) => sizeBytes));
  const peak = (isLargest: boolean) => {
    const peaks = rows
      .filter(({ what, sizeBytes }) => what !== 'save' && (sizeBytes === largest) === isLargest)
      .map(({ peakBytes }) => peakBytes);
    return peaks.includes(null) ? null : Math.max(...(peaks as number[]));
  };
  const [large, small] = [peak(true), peak(false)];
  return large === null || small === null ? null : large - small;
}

type Summary = { options: Options; idleBytes: number | null; grown: number | null; isHeld: boolean };

function toMarkdown(rows: Row[], { options, idleBytes, grown, isHeld }: Summary): string {
  const head = ['', 'file MiB', 'read MiB', 's', 'MiB/s', 'peak RSS MiB', 'above idle MiB'];
  const cells = rows.map((row) => [
    row.what,
    toMib(row.sizeBytes),
    toMib(row.readBytes),
    show(row.seconds, 2),
    show(row.readBytes / mebibyte / row.seconds, 0),
    row.peakBytes === null ? 'n/a' : toMib(row.peakBytes),
    row.peakBytes === null || idleBytes === null ? 'n/a' : toMib(row.peakBytes - idleBytes),
  ]);
  const idle = `idle at ${idleBytes === null ? 'n/a' : toMib(idleBytes)} MiB`;
  const verdict = `Downloads of the large file took ${grown === null ? 'n/a' : toMib(grown)} MiB more memory than those of the small one (≤ ${toMib(mostGrownBytes)}: ${isHeld ? 'holds' : 'missed'}).`;
  return `${describeConditions(options, [idle])}\n\n${layOut(head, cells)}\n\n${verdict}\n`;
}

function toMib(bytes: number): string {
  return (bytes / mebibyte).toFixed(0);
}
