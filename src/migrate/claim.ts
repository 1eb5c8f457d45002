// Whose a target is. A migration begins only in one that is empty, and leaves its mark there first: in the catalog a row
// that also keeps services from starting on it, in the blob store a blob under an id that follows from the source. With
// them it is known again, and goes on. A blob store in use would be worse than a mistake: each of two catalogs sweeps away
// what the other points to.

import { createHash } from 'node:crypto';
import { findIdentity, findMeta, readRows, removeMeta, setMeta, tables } from '../catalog/tables.ts';
import { hasByteAt } from './blob-probe.ts';
import { type BlobMove, CannotMigrate, type Migration, type Side } from './side.ts';

const underWay = 'setting migration';
const done = 'migrated';

interface Claim {
  source: string;
  from: string;
  begunAt: string;
}

/** Tells whether nothing of the large contents is there yet. */
export async function claimTarget({ source, target, moved, blobs }: Migration): Promise<{ isFresh: boolean }> {
  const identity = await source.tables.read(findIdentity());
  if (moved.records) await claimCatalog(source, target, identity);
  return { isFresh: blobs !== null && (await claimBlobs(blobs, identity)) };
}

async function claimCatalog(source: Side, target: Side, identity: string): Promise<void> {
  const text = await target.tables.read(findMeta(underWay));
  if (text !== null) {
    const { source: claimed, from } = JSON.parse(text) as Claim;
    if (claimed === identity) return;
    throw new CannotMigrate(`${target.name} holds a migration from elsewhere (${from}) that is not finished.`);
  }
  await requireEmpty(target);
  const claim: Claim = { source: identity, from: source.name, begunAt: new Date().toISOString() };
  await target.tables.write([setMeta(underWay, JSON.stringify(claim))]);
}

async function requireEmpty(target: Side): Promise<void> {
  const filled: string[] = [];
  for (const table of tables) {
    if ((await target.tables.read(readRows(table, null, 1))).length > 0) filled.push(table.name);
  }
  if (filled.length > 0) {
    const migratedAt = await target.tables.read(findMeta(done));
    const story = migratedAt === null ? '' : ` It was migrated to on ${migratedAt}, and that is finished.`;
    throw new CannotMigrate(`${target.name} is in use: there are rows in ${filled.join(', ')}.${story}`);
  }
  if ((await target.keys.read()) === null) return;
  throw new CannotMigrate(`${target.name} has keys already, of an environment that was there before.`);
}

/** Whether it was empty. */
async function claimBlobs({ to: blobs, toName }: BlobMove, identity: string): Promise<boolean> {
  const mark = toMark(identity);
  if (await hasByteAt(blobs, mark.id, mark.bytes.length - 1)) return false;
  for await (const { id } of blobs.list()) {
    throw new CannotMigrate(`${toName} is in use: it holds ${id}, and perhaps more.`);
  }
  await blobs.put(
    mark.id,
    (async function* () {
      yield [mark.bytes];
    })(),
  );
  return true;
}

function toMark(identity: string): { id: string; bytes: Buffer } {
  const text = `A migration from the catalog ${identity} is under way.\n`;
  return { id: createHash('sha256').update(text).digest('hex').slice(0, 32), bytes: Buffer.from(text) };
}

/** The last step: from here on the target may be used. */
export async function release({ source, target, moved, blobs }: Migration): Promise<void> {
  if (moved.records) {
    await target.tables.settle();
    await target.tables.write([removeMeta(underWay), setMeta(done, new Date().toISOString())]);
  }
  // Left behind by a crash just here, it is swept away after a day.
  await blobs?.to.discard(toMark(await source.tables.read(findIdentity())).id);
}
