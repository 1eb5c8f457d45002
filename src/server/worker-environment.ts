// An environment as an HTTP thread beside the main one has it: it reads for itself, writes through a port to the one writer,
// and asks the main thread for what there can be only one of.

import { keysInFolder, openKeys } from '../auth/keys.ts';
import { withDiscard } from '../blobs/held-blobs.ts';
import { announceCommits, Commits } from '../catalog/commits.ts';
import { CommitCounter } from '../catalog/page-cache/commit-counter.ts';
import { FirstPages } from '../catalog/page-cache/first-pages.ts';
import { attachSqlite } from '../catalog/sqlite/worker.ts';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { Fault, type PlainFault } from '../domain/fault.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import { sharedLeases } from '../operations/leases.ts';
import { TooBusy } from '../operations/passwords.ts';
import type { PreviewFinder } from '../operations/preview-finder.ts';
import { type AcquireUpload, ActiveUploads } from '../operations/upload-locks.ts';
import { systemClock } from '../runtime/clock.ts';
import type { Shared } from '../runtime/shared-counters.ts';
import { SyncGuard } from '../runtime/sync-guard.ts';
import type { WorkerCalls } from '../runtime/worker-calls.ts';
import { DocumentTexts } from '../search/extract/document-texts.ts';
import { parseQuery } from '../search/query.ts';
import type { Search } from '../search/search.ts';
import { type Environment, folderOf, reloadShared, toCabinet, toDerivedKeys } from './environment.ts';
import { watchFreeSpace } from './free-space.ts';
import type { MainFunctions, WorkerBootstrap } from './http-thread-calls.ts';
import { type StorageEvents, toObserved } from './records.ts';
import type { ServedEnvironment } from './serving.ts';
import { openArchivedJournal, openBlobs, openKeysOfJournal, toCatalogPath } from './storage.ts';

/** The main thread hears of commits at most this often. */
const reportCommitsMs = 20;

export interface WorkerEnvironment extends ServedEnvironment {
  reload(): Promise<void>;
  onNewKeys(listener: () => void): void;
  /** The main thread has learned that the environment has failed. */
  fail(fault: PlainFault): void;
  /** Ends the request whose turn at an upload is over. */
  endUpload(turn: number): void;
  close(): Promise<void>;
}

export interface WorkerContext extends Pick<StorageEvents, 'onBackgroundError' | 'observed'> {
  config: Config;
  main: WorkerCalls<MainFunctions>;
  shared: Shared;
}

export async function attachEnvironment(
  bootstrap: WorkerBootstrap,
  context: WorkerContext,
): Promise<WorkerEnvironment> {
  const closings: (() => unknown)[] = [];
  const closeAll = async () => {
    for (const close of closings.splice(0).reverse()) await close();
  };
  try {
    return await attach(bootstrap, context, { add: (close) => closings.push(close), closeAll });
  } catch (error) {
    await closeAll();
    throw error;
  }
}

interface Closings {
  add(close: () => unknown): void;
  /** The last one first. */
  closeAll(): Promise<void>;
}

async function attach(
  { name, writer, syncGuard: sharedSyncs, commits: sharedCommits, commitCounter }: WorkerBootstrap,
  { config, main, shared, onBackgroundError, observed }: WorkerContext,
  closings: Closings,
): Promise<WorkerEnvironment> {
  let isFailed = false;
  const onFatal = ({ kind, message }: Fault) => {
    if (!isFailed) main.notify('failed', { name, kind, message });
    isFailed = true;
  };
  const commits = new Commits(sharedCommits);
  const events = { onFatal, onBackgroundError, ...(observed !== undefined && { observed }) };
  const blobs = await openBlobs(config, name, { ...events, syncGuard: new SyncGuard(sharedSyncs), isWorker: true });
  closings.add(() => blobs.close());
  const pages = new FirstPages(new CommitCounter(commitCounter), null);
  const engine = attachSqlite({
    path: toCatalogPath(config, name),
    port: writer,
    onFatal,
    onCommitted: toRarely(() => main.notify('committed', { name })),
    onBatch: (writes, seconds) => observed?.metrics.countBatch(writes, seconds),
    onChanges: (changes, number) => pages.follow(changes, number),
  });
  closings.add(() => engine.close());
  const catalog = announceCommits(pages.keep(toObserved(engine, events)), commits);
  const leases = sharedLeases(catalog, onBackgroundError, systemClock);
  closings.add(() => leases.close());
  const disk = watchFreeSpace(folderOf(config, name), systemClock);
  closings.add(() => disk.stop());
  const turns = new RemoteTurns(main, name);
  const { keyStore, keys } = await readKeys(folderOf(config, name));
  const made = {
    // A thread cannot share the main one's.
    clock: systemClock,
    catalog,
    // While a backup is made, blobs are kept: the main thread knows.
    blobs: withDiscard(blobs, (blob) => main.call('discardBlob', { name, blob })),
    commits,
    ...toReaders(main, name, config),
    ...(await openJournal(config, name)),
    freeBytes: disk.freeBytes,
    purger: { nudge: () => main.notify('removed', { name }) },
    leases,
    uploads: new ActiveUploads(turns.enter),
    isPassword: (password: string, stored: string, source: string) => isPassword(main, { password, stored, source }),
    ...toDerivedKeys(keys),
  };
  const cabinet = toCabinet(config, name, made, shared);
  closings.add(() => closeCabinet(cabinet));
  await cabinet.quotas.load();
  let onNewKeys: () => void = () => undefined;
  const environment: WorkerEnvironment & Pick<Environment, 'keyStore'> = {
    name,
    cabinet,
    keys,
    keyStore,
    isReachable: () => true,
    reload: () => reloadShared(environment, () => onNewKeys()),
    onNewKeys(listener) {
      onNewKeys = listener;
    },
    fail({ kind, message }) {
      isFailed = true;
      engine.die(new Fault(kind, message));
    },
    endUpload: (turn) => turns.end(turn),
    close: () => closings.closeAll(),
  };
  return environment;
}

async function readKeys(folder: string) {
  const keyStore = keysInFolder(folder);
  return { keyStore, keys: await openKeys(keyStore) };
}

async function closeCabinet({ uploads, hasher, thumbnails }: Cabinet): Promise<void> {
  await uploads.settle();
  await hasher.close();
  await thumbnails.close();
}

async function isPassword(
  main: WorkerCalls<MainFunctions>,
  input: { password: string; stored: string; source: string },
): Promise<boolean> {
  const answer = await main.call('isPassword', input);
  if (answer === 'busy') throw new TooBusy();
  return answer;
}

/** Reports what happens within a moment once. */
function toRarely(report: () => void): () => void {
  let isPending = false;
  return () => {
    if (isPending) return;
    isPending = true;
    systemClock.after(reportCommitsMs, () => {
      isPending = false;
      report();
    });
  };
}

/** Numbers are never used again, also not for an environment that was opened anew. */
let lastTurn = 0;

/** Turns are kept by the main thread, for requests of all threads. */
class RemoteTurns {
  readonly #main: WorkerCalls<MainFunctions>;
  readonly #name: WorkerBootstrap['name'];
  readonly #ends = new Map<number, () => void>();

  constructor(main: WorkerCalls<MainFunctions>, name: WorkerBootstrap['name']) {
    this.#main = main;
    this.#name = name;
  }

  readonly enter: AcquireUpload = async (id, end) => {
    lastTurn += 1;
    const turn = lastTurn;
    const name = this.#name;
    this.#ends.set(turn, end);
    try {
      await this.#main.call('enterUpload', { name, id, turn });
    } catch (error) {
      this.#ends.delete(turn);
      throw error;
    }
    return () => {
      this.#ends.delete(turn);
      this.#main.notify('leaveUpload', { name, turn });
    };
  };

  end(turn: number): void {
    this.#ends.get(turn)?.();
  }
}

/** The main thread has the converter and its cache. */
function toPreviews(main: WorkerCalls<MainFunctions>, name: WorkerBootstrap['name']): PreviewFinder {
  return {
    find: (request) => main.call('findPreview', { name, request }),
    async deleteOld() {},
    async close() {},
  };
}

/** The main thread has the index, and the process that reads documents. */
function toReaders(main: WorkerCalls<MainFunctions>, name: WorkerBootstrap['name'], config: Config) {
  const texts = new DocumentTexts((params) => main.call('extractText', { name, params }));
  const previews = config.officeConverter === null ? null : toPreviews(main, name);
  return { search: toSearch(main, name), texts, previews };
}

/** The index has one thread that answers, which the main thread asks. */
function toSearch(main: WorkerCalls<MainFunctions>, name: WorkerBootstrap['name']): Search {
  return {
    parse: parseQuery,
    rank: (params) => main.call('rank', { name, params }),
    snippets: (params) => main.call('snippets', { name, params }),
    status: () => main.call('indexStatus', { name }),
    async rebuild() {},
    follow() {},
    nudge() {},
    async close() {},
  };
}

/** The main thread anchors. */
async function openJournal(config: Config, name: EnvironmentName) {
  return {
    journalFiles: await openArchivedJournal(config, name),
    journalKeys: await openKeysOfJournal(config, name),
    journalAnchor: { lines: null, anchoredPosition: 0 },
  };
}
