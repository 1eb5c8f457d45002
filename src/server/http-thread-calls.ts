// The calls between the HTTP threads. The main thread owns the environments: it opens them, runs their jobs, and has
// everything that there can be only one of. The other HTTP threads are its workers.

import type { MessagePort } from 'node:worker_threads';
import type { AdapterPayload } from 'oidc-provider';
import type { Config } from '../config/config.ts';
import type { EnvironmentName } from '../domain/environment-name.ts';
import type { PlainFault } from '../domain/fault.ts';
import type { FoundPreview, PreviewRequest } from '../operations/preview-finder.ts';
import type { SharedBuffers } from '../runtime/shared-counters.ts';
import type { Functions } from '../runtime/worker-calls.ts';
import type { FromExtractor, ToExtractor } from '../search/extract/extractor-thread.ts';
import type { IndexStatus, RankedSlice, RankRequest, SnippetsRequest } from '../search/search.ts';
import type { Urls } from './serving.ts';

/** What a thread is started with. The ports in `config` are those that the main thread listens on. */
export interface HttpThreadData {
  config: Config;
  urls: Urls;
  shared: SharedBuffers;
  ticketKeys: Uint8Array;
  startedAt: number;
}

/** What a worker needs to use an environment. */
export interface WorkerBootstrap {
  name: EnvironmentName;
  /** To the writer of its catalog. */
  writer: MessagePort;
  syncGuard: SharedArrayBuffer;
  commits: SharedArrayBuffer;
  commitCounter: SharedArrayBuffer;
}

interface Of {
  name: EnvironmentName;
}

/** What workers ask the main thread. */
export interface MainFunctions extends Functions {
  /** Something was written: there may be more to index and to move into the database file. */
  committed(of: Of): void;
  failed(of: Of & PlainFault): void;
  /** Something was removed for good. */
  removed(of: Of): void;
  /** Nothing points to the blob any more. */
  discardBlob(of: Of & { blob: string }): Promise<void>;
  /** Resolves when it is the turn of the worker's request; `turn` is its own number for it. */
  enterUpload(of: Of & { id: string; turn: number }): Promise<void>;
  leaveUpload(of: Of & { turn: number }): void;
  /** Users, applications or settings have changed. Resolves when every thread answers accordingly. */
  adminChanged(of: Of): Promise<void>;
  /** Whether the password is the one of which this is kept; `busy`: too many wait to know. */
  isPassword(input: { password: string; stored: string; source: string }): Promise<boolean | 'busy'>;
  setSession(of: Of & { id: string; payload: AdapterPayload }): Promise<void>;
  getSession(of: Of & { id: string }): Promise<AdapterPayload | undefined>;
  deleteSession(of: Of & { id: string }): Promise<boolean>;
  rank(of: Of & { params: RankRequest }): Promise<RankedSlice>;
  snippets(of: Of & { params: SnippetsRequest }): Promise<string[]>;
  extractText(of: Of & { params: ToExtractor }): Promise<FromExtractor | null>;
  findPreview(of: Of & { request: PreviewRequest }): Promise<FoundPreview>;
  indexStatus(of: Of): Promise<IndexStatus>;
  /** Of all threads. */
  renderMetrics(of: Of): Promise<string>;
}

/** What the main thread asks its workers. */
export interface WorkerFunctions extends Functions {
  /** Begins to serve, and to listen, where that is not done. */
  open(bootstrap: WorkerBootstrap): Promise<void>;
  /** Lets go of an environment; its address says that it is not there. */
  close(of: Of): Promise<void>;
  /** Keys or quotas may have changed, or who may do what. */
  reload(of: Of): Promise<void>;
  /** The environment can promise nothing any more. */
  fail(of: Of & PlainFault): void;
  /** Another request has come for the upload. */
  endUpload(of: Of & { turn: number }): void;
  /** It is not ready any more. */
  beginClosing(): void;
  drain(): Promise<void>;
  /** Its own. */
  renderMetrics(of: Of): string;
  /** It will be ended. */
  finish(): Promise<void>;
}
