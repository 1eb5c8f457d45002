// What is left when all uploads are over: beside the files themselves nothing, once those uploads have expired whose address no client
// ever learned. Nothing waits: their rows are made to expire, and the sweeper does the rest.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Environment, eventually, startService } from '../service/service.ts';

const inlineBytes = 65_536;

export interface Leftovers {
  /** Uploads that were begun, and whose address got lost on its way to the client. */
  begunInVain: number;
  problems: string[];
}

/** The service must not be running. */
export async function checkLeftovers(
  dataFolder: string,
  environment: Environment,
  files: readonly { sizeBytes: number }[],
): Promise<Leftovers> {
  const begunInVain = ask(dataFolder, 'SELECT count(*) AS count FROM uploads WHERE result IS NULL');
  ask(dataFolder, 'UPDATE uploads SET expires_at = 0 RETURNING 1 AS count');
  const service = await startService(dataFolder, { environment, readyWithinMs: 180_000 });
  const problems: string[] = [];
  const isSwept = () => ask(dataFolder, 'SELECT count(*) AS count FROM uploads') === 0;
  await eventually('expired uploads are swept', isSwept, 30_000).catch((error: Error) => problems.push(error.message));
  const large = files.filter(({ sizeBytes }) => sizeBytes > inlineBytes).length;
  const isExact = () => listBlobs(dataFolder).length === large;
  await eventually('their bytes are swept', isExact, 30_000).catch(() => undefined);
  await service.stop();
  const blobs = listBlobs(dataFolder);
  if (blobs.length !== large) problems.push(`${blobs.length} blobs on the disk for ${large} large files`);
  const unknown = blobs.filter(
    (blob) => ask(dataFolder, `SELECT count(*) AS count FROM contents WHERE blob = '${blob}'`) !== 1,
  );
  if (unknown.length > 0) problems.push(`${unknown.length} blobs belong to no content`);
  const incoming = readdirSync(join(dataFolder, 'production/incoming'));
  if (incoming.length > 0) problems.push(`${incoming.length} files are left half written`);
  return { begunInVain, problems };
}

function listBlobs(dataFolder: string): string[] {
  const folder = join(dataFolder, 'production/blobs');
  return readdirSync(folder).flatMap((shard) => readdirSync(join(folder, shard)));
}

function ask(dataFolder: string, sql: string): number {
  const database = new DatabaseSync(join(dataFolder, 'production/catalog.db'));
  try {
    return Number((database.prepare(sql).get() as { count: number } | undefined)?.count ?? 0);
  } finally {
    database.close();
  }
}
