// Whose a target is. A migration begins only in one that is empty, and leaves its mark there first: in the catalog a row
// that also keeps services from starting on it, in the blob store a blob under an id that follows from the source. With
// them it is known again, and goes on. A blob store in use would be worse than a mistake: each of two catalogs sweeps away
// what the other points to.

import { createHash } from 'node:crypto';
import {
  findHead,
  findIdentity,
  findMeta,
  isLargeContent,
  readRows,
  removeMeta,
  setMeta,
  tables,
} from '../../catalog/tables.ts';
import { hasByteAt } from './blob-probe.ts';
import { type BlobMove, type Migration, MigrationError, type Side } from './side.ts';

const underWay = 'setting migration';
const done = 'migrated';

interface Claim {
  source: string;
  from: string;
  begunAt: string;
}

/** What is left of a migration that is finished. head: of the journal's chain, as it was then. */
interface Done {
  source: string;
  head: string;
  at: string;
}

interface Claimed {
  /** Nothing of the large contents is there yet. */
  isFresh: boolean;
  /** When all was finished already, and neither side has changed since; null: there is something to do. */
  doneAt: string | null;
}

export async function claimTarget({ source, target, moved, blobs }: Migration): Promise<Claimed> {
  const identity = await source.tables.read(findIdentity());
  const doneAt = moved.records ? await claimCatalog(source, target, identity) : null;
  if (blobs === null || doneAt !== null) return { isFresh: false, doneAt };
  // Where the catalog is claimed, so is all that was copied for it. Otherwise a finished copy is known by what it holds.
  const isKnown = (blob: string) => (moved.records ? false : source.tables.read(isLargeContent(blob)));
  return { isFresh: await claimBlobs(blobs, identity, isKnown), doneAt };
}

async function claimCatalog(source: Side, target: Side, identity: string): Promise<string | null> {
  const text = await target.tables.read(findMeta(underWay));
  if (text !== null) {
    const { source: claimed, from } = JSON.parse(text) as Claim;
    if (claimed === identity) return null;
    throw new MigrationError(`${target.name} holds a migration from elsewhere (${from}) that is not finished.`);
  }
  const doneAt = await findDone(source, target, identity);
  if (doneAt !== null) return doneAt;
  await requireEmpty(target);
  const claim: Claim = { source: identity, from: source.name, begunAt: new Date().toISOString() };
  await target.tables.write([setMeta(underWay, JSON.stringify(claim))]);
  return null;
}

async function findDone(source: Side, target: Side, identity: string): Promise<string | null> {
  const text = await target.tables.read(findMeta(done));
  if (text === null) return null;
  const finished = JSON.parse(text) as Done;
  const heads = [await readHead(source), await readHead(target)];
  if (finished.source === identity && heads.every((head) => head === finished.head)) return finished.at;
  throw new MigrationError(
    `${target.name} is in use: it was migrated to on ${finished.at}, and something has changed since.`,
  );
}

async function readHead({ tables }: Side): Promise<string> {
  const head = await tables.read(findHead());
  return head === null ? '' : `${head.position}:${head.link}`;
}

async function requireEmpty(target: Side): Promise<void> {
  const filled: string[] = [];
  for (const table of tables) {
    if ((await target.tables.read(readRows(table, null, 1))).length > 0) filled.push(table.name);
  }
  if (filled.length > 0) {
    throw new MigrationError(`${target.name} is in use: there are rows in ${filled.join(', ')}.`);
  }
  if ((await target.keys.read()) === null) return;
  throw new MigrationError(`${target.name} has keys already, of an environment that was there before.`);
}

/** Whether it was empty. */
async function claimBlobs(
  { to: blobs, toName }: BlobMove,
  identity: string,
  isKnown: (blob: string) => boolean | Promise<boolean>,
): Promise<boolean> {
  const mark = toMark(identity);
  if (await hasByteAt(blobs, mark.id, mark.bytes.length - 1)) return false;
  let isEmpty = true;
  for await (const { id } of blobs.list()) {
    isEmpty = false;
    if (!(await isKnown(id))) throw new MigrationError(`${toName} is in use: it holds ${id}, and perhaps more.`);
  }
  await blobs.put(
    mark.id,
    (async function* () {
      yield [mark.bytes];
    })(),
  );
  return isEmpty;
}

function toMark(identity: string): { id: string; bytes: Buffer } {
  const text = `A migration from the catalog ${identity} is under way.\n`;
  return { id: createHash('sha256').update(text).digest('hex').slice(0, 32), bytes: Buffer.from(text) };
}

/** The last step: from here on the target may be used. */
export async function release({ source, target, moved, blobs }: Migration): Promise<void> {
  const identity = await source.tables.read(findIdentity());
  if (moved.records) {
    await target.tables.settle();
    const finished: Done = { source: identity, head: await readHead(target), at: new Date().toISOString() };
    await target.tables.write([removeMeta(underWay), setMeta(done, JSON.stringify(finished))]);
  }
  // Left behind by a crash just here, it is swept away after a day.
  await blobs?.to.discard(toMark(identity).id);
}
