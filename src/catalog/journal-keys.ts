// The keys of the journal's chain, outside of the database: one file each, `<number>-<id>.json`, which is never changed. The one with
// the highest number makes new links; the others verify old ones. Nodes that share a database share the files. Two nodes may add a
// key at the same time: both are good, and both nodes go on with the same one when they see a link of the other's. The first key knows
// where the rows end that have none; otherwise somebody could put others in their place, and let the key take over from those.

import { randomBytes } from 'node:crypto';
import { type JournalKey, keyOfLink } from '../domain/chain.ts';
import { Fault } from '../domain/fault.ts';
import type { FileStore } from '../runtime/file-store.ts';

const namePattern = /^(\d{1,9})-([0-9a-f]{8})\.json$/;

/** The end of a chain; position 0: it is empty. */
export interface ChainEnd {
  position: number;
  link: string;
}

export interface StoredKey extends JournalKey {
  /** The end of the rows without a key, from which it takes over; null: there are none. */
  after: ChainEnd | null;
}

export interface JournalKeys {
  /** All keys, the newest last. */
  list(): Promise<StoredKey[]>;
  /** The newest; null: there is none yet. */
  newest(): Promise<JournalKey | null>;
  /** The newest. Where there is none it is added, for the chain that ends there. */
  ensure(end: ChainEnd): Promise<JournalKey>;
  /** Resolves when the new key is durable. */
  add(): Promise<JournalKey>;
  /** The files, for what copies them. */
  readonly files: FileStore;
}

export function openJournalKeys(files: FileStore): JournalKeys {
  const listNames = async () => (await files.list()).filter(isJournalKeyName).sort(byNumber);
  const read = async (name: string): Promise<StoredKey> => {
    const { Id, Secret, After } = JSON.parse(Buffer.from(await files.read(name)).toString('utf8')) as KeyFile;
    if (Id !== namePattern.exec(name)?.[2] || typeof Secret !== 'string' || Secret.length < 43) {
      throw new Fault('other', `the key ${name} of the journal is damaged`);
    }
    return { id: Id, secret: Secret, after: After === null ? null : { position: After.Position, link: After.Link } };
  };
  const newest = async () => {
    const name = (await listNames()).at(-1);
    return name === undefined ? null : await read(name);
  };
  const add = async (end: ChainEnd | null): Promise<JournalKey> => {
    const last = (await listNames()).at(-1) ?? '0-';
    const Id = randomBytes(4).toString('hex');
    const Secret = randomBytes(32).toString('base64url');
    const After = end === null ? null : { Position: end.position, Link: end.link };
    const file: KeyFile = { Id, Secret, After, MadeAt: new Date().toISOString() };
    await files.write(`${Number.parseInt(last, 10) + 1}-${Id}.json`, Buffer.from(`${JSON.stringify(file)}\n`));
    return { id: Id, secret: Secret };
  };
  return {
    files,
    list: async () => await Promise.all((await listNames()).map(read)),
    newest,
    add: () => add(null),
    async ensure(end) {
      const hasNoKey = end.position > 0 && keyOfLink(end.link) === null;
      return (await newest()) ?? (await add(hasNoKey ? end : null));
    },
  };
}

export function isJournalKeyName(name: string): boolean {
  return namePattern.test(name);
}

interface KeyFile {
  Id: string;
  /** 256 random bits, base64url. */
  Secret: string;
  After: { Position: number; Link: string } | null;
  /** For people. */
  MadeAt: string;
}

function byNumber(one: string, other: string): number {
  return Number.parseInt(one, 10) - Number.parseInt(other, 10) || (one < other ? -1 : 1);
}
