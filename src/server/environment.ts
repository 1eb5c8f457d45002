// One environment, production or test: its own records, contents and keys, and the work that goes on behind them.

import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  type KeyStore,
  type Keys,
  openKeys,
  toAppPasswordKey,
  toSecondFactorKey,
  toShareKey,
  toWebhookKey,
} from '../auth/keys.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { Peers } from '../certificates/peers.ts';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import { Fault } from '../domain/fault.ts';
import type { Job } from '../jobs/job.ts';
import { purgeJob } from '../jobs/purge.ts';
import { JobRunner } from '../jobs/runner.ts';
import type { Cabinet, Limits } from '../operations/cabinet.ts';
import { UploadMemory } from '../operations/cabinet.ts';
import { findsPreviews } from '../operations/find-previews.ts';
import { Hasher } from '../operations/hasher.ts';
import { localLeases, sharedLeases } from '../operations/leases.ts';
import { isPassword } from '../operations/passwords.ts';
import type { PreviewFinder } from '../operations/preview-finder.ts';
import { Quotas } from '../operations/quotas.ts';
import { ReadMemory } from '../operations/read-memory.ts';
import { ShareLimits } from '../operations/share-limits.ts';
import { SignInLimits } from '../operations/sign-in-limits.ts';
import { ActiveUploads, UploadLocks } from '../operations/upload-locks.ts';
import { WebhookSender } from '../operations/webhook-sender.ts';
import { Previews } from '../previews/previews.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { resolveForeign } from '../runtime/private-addresses.ts';
import { openShared, type Shared } from '../runtime/shared-counters.ts';
import { DocumentTexts, oneAtATime } from '../search/extract/document-texts.ts';
import { Extractor } from '../search/extract/extractor.ts';
import { Thumbnails } from '../thumbnails/thumbnails.ts';
import type { StorageEvents } from './records.ts';
import { emptyStorage, folderOf, openAnchor, openStorage, type Storage } from './storage.ts';

/** How soon a node learns what others have changed of the keys and the quotas. */
const reloadSharedMs = 1000;

export interface Environment {
  name: EnvironmentName;
  cabinet: Cabinet;
  keys: Keys;
  keyStore: KeyStore;
  /** Whether what it keeps can be read and written, as of a moment ago. */
  isReachable(): boolean;
  /** Keeps all large contents, until the returned function is called. */
  holdBlobs(): () => Promise<void>;
  /** The connections to the database; null: there are none. */
  pool: Storage['pool'];
  /** Its background jobs; closing stops them. */
  jobs: JobRunner;
  /** Called when another node has changed the keys. */
  onNewKeys(listener: () => void): void;
  /** The chain of the journal goes on with a new key. */
  rotateJournalKey(): Promise<void>;
  /** Learns at once what other nodes have changed; null: there are none. */
  reload: (() => Promise<void>) | null;
  turns: UploadLocks;
  /** How other threads of this process come to what it keeps; null: by themselves. */
  workers: Storage['workers'];
  /** What they share with this one. */
  shared: Pick<Storage, 'commits' | 'syncGuard'>;
  close(): Promise<void>;
}

export { folderOf };

export async function openEnvironment(
  config: Config,
  name: EnvironmentName,
  events: StorageEvents & { shared?: Shared },
): Promise<Environment> {
  const { onBackgroundError, clock = systemClock } = events;
  const storage = await openStorage(config, name, events);
  const { catalog, blobs, isShared, keyStore } = storage;
  if (!isShared) await forgetOthers(catalog, clock).catch(onBackgroundError);
  const leases = isShared || config.httpThreads > 1 ? sharedLeases(catalog, onBackgroundError, clock) : localLeases();
  const turns = new UploadLocks();
  const uploads = new ActiveUploads((id, end) => turns.acquire(id, end));
  const keys = await openKeys(keyStore, { now: clock.now(), idTokenAlgorithm: config.idTokenAlgorithm });
  const derived = toDerivedKeys(keys);
  const journalAnchor = { lines: await openAnchor(config, clock), anchoredPosition: 0 };
  const purger = { nudge: () => jobs.trigger(purgeJob.name) };
  const extractor = new Extractor(config.searchSeconds * 1000);
  const texts = new DocumentTexts(oneAtATime(extractor));
  const previews = openPreviews(config, name, () => cabinet);
  const cabinet: Cabinet = toCabinet(
    config,
    name,
    { ...storage, ...derived, texts, previews, journalAnchor, purger, leases, uploads, isPassword, clock },
    events.shared ?? openShared(),
  );
  const jobs = new JobRunner(
    { name, cabinet, runExclusive: storage.runExclusive },
    { clock, onError: toJobErrors(events) },
  );
  jobs.start([purgeJob]);
  await cabinet.quotas.load();
  let onNewKeys: () => void = () => undefined;
  const environment: Environment = {
    name,
    cabinet,
    keys,
    keyStore,
    isReachable: storage.isReachable,
    holdBlobs: () => blobs.hold(),
    pool: storage.pool,
    jobs,
    onNewKeys(listener) {
      onNewKeys = listener;
    },
    async rotateJournalKey() {
      await storage.journalKeys.add();
      await storage.useNewestJournalKey();
    },
    reload: isShared ? () => look() : null,
    turns,
    workers: storage.workers,
    shared: storage,
    async close() {
      looks?.cancel();
      await jobs.stop();
      await extractor.close();
      await cabinet.uploads.settle();
      await cabinet.hasher.close();
      await cabinet.thumbnails.close();
      await previews?.close();
      await cabinet.leases.close();
      await storage.close();
    },
  };
  const look = () => reloadShared(environment, () => onNewKeys());
  // What cannot be learned now is learned at the next look.
  const looks = isShared ? clock.every(reloadSharedMs, () => void look().catch(() => undefined)) : null;
  return environment;
}

function toJobErrors({ onFatal, onBackgroundError }: StorageEvents) {
  return (error: unknown, { name }: Job) => {
    if (error instanceof Fault && error.kind === 'fatal') onFatal(error);
    else onBackgroundError(error, name);
  };
}

/** Only one process has this catalog: whoever was copying, or writing a blob, is gone. */
async function forgetOthers(catalog: Catalog, clock: Clock): Promise<void> {
  await catalog.abandonCopies({ before: clock.now() });
  while ((await catalog.expireLeases({ at: Number.MAX_SAFE_INTEGER })) > 0);
}

export async function emptyEnvironment(config: Config, name: EnvironmentName): Promise<void> {
  await emptyStorage(config, name);
}

type Made =
  | 'catalog'
  | 'blobs'
  | 'commits'
  | 'search'
  | 'texts'
  | 'previews'
  | 'journalFiles'
  | 'journalKeys'
  | 'journalAnchor'
  | 'freeBytes'
  | 'purger'
  | 'leases'
  | 'uploads'
  | 'isPassword'
  | 'appPasswordKey'
  | 'webhookKey'
  | 'shareKey'
  | 'secondFactorKey'
  | 'clock';

/** Half of the processors may be busy with them. */
function openThumbnails(config: Config, name: EnvironmentName): Thumbnails {
  const { httpThreads } = config;
  return new Thumbnails({
    folder: join(folderOf(config, name), 'thumbnails'),
    cacheBytes: config.thumbnailCacheBytes / httpThreads,
    processes: Math.max(1, Math.floor(availableParallelism() / 2 / httpThreads)),
  });
}

function openPreviews(config: Config, name: EnvironmentName, cabinet: () => Cabinet): PreviewFinder | null {
  const { officeConverter: converter, previewCacheBytes: cacheBytes } = config;
  if (converter === null) return null;
  const folder = join(folderOf(config, name), 'previews');
  return findsPreviews(new Previews({ folder, cacheBytes, converter }), cabinet);
}

export function toCabinet(config: Config, name: EnvironmentName, made: Pick<Cabinet, Made>, shared: Shared): Cabinet {
  const {
    catalog,
    blobs,
    commits,
    search,
    texts,
    journalFiles,
    journalKeys,
    freeBytes,
    purger,
    leases,
    uploads,
    clock,
  } = made;
  const allowedReceivers = new Peers(config.webhookNetworks);
  return {
    clock,
    catalog,
    blobs,
    limits: toLimits(config),
    names: config.names,
    freeBytes,
    uploadMemory: new UploadMemory(config.httpThreads),
    readMemory: new ReadMemory(config.httpThreads),
    hasher: new Hasher(clock),
    uploads,
    signInLimits: new SignInLimits(name, shared, clock),
    isPassword: made.isPassword,
    appPasswordKey: made.appPasswordKey,
    webhookKey: made.webhookKey,
    shareKey: made.shareKey,
    sharePolicy: config.shares,
    shareLimits: new ShareLimits(name, shared, clock),
    secondFactorKey: made.secondFactorKey,
    isSecondFactorRequired: config.secondFactor[name] === 'required',
    webhookSender: new WebhookSender({
      clock,
      resolve: resolveForeign,
      isAllowed: (address) => allowedReceivers.has(address),
    }),
    purger,
    leases,
    commits,
    search,
    texts,
    thumbnails: openThumbnails(config, name),
    previews: made.previews,
    quotas: new Quotas(catalog, { environment: name, shared, clock }),
    journalFiles,
    journalKeys,
    journalAnchor: made.journalAnchor,
    isReadAudited: config.isReadAudited,
    isLitterDiscarded: config.isLitterDiscarded,
    hasMutualTls: name === 'production',
  };
}

/** What others have changed. */
export async function reloadShared(
  environment: Pick<Environment, 'cabinet' | 'keys' | 'keyStore'>,
  onNewKeys: () => void,
): Promise<void> {
  const { cabinet, keyStore } = environment;
  await cabinet.quotas.load();
  const keys = await openKeys(keyStore, { now: cabinet.clock.now() });
  if (JSON.stringify(keys) === JSON.stringify(environment.keys)) return;
  environment.keys = keys;
  onNewKeys();
}

type DerivedKeys = Pick<Cabinet, 'appPasswordKey' | 'webhookKey' | 'shareKey' | 'secondFactorKey'>;

export function toDerivedKeys(keys: Keys): DerivedKeys {
  return {
    appPasswordKey: toAppPasswordKey(keys),
    webhookKey: toWebhookKey(keys),
    shareKey: toShareKey(keys),
    secondFactorKey: toSecondFactorKey(keys),
  };
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

function toLimits(config: Config): Limits {
  const { inlineBytes, maxFileBytes, reserveBytes, versionsKept, versionDays, trashDays, uploadHours, journalDays } =
    config;
  return {
    inlineBytes,
    fileBytes: maxFileBytes,
    spaceQuotaBytes: config.spaceQuotaBytes,
    spacesPerPerson: config.spacesPerPerson,
    reserveBytes,
    keptVersions: versionsKept,
    versionMs: versionDays === null ? null : versionDays * dayMs,
    trashMs: trashDays === null ? null : trashDays * dayMs,
    uploadMs: uploadHours * hourMs,
    journalMs: journalDays === null ? null : journalDays * dayMs,
  };
}
