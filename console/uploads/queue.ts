// The upload queue: a few uploads in parallel, each with progress; pause, resume, retry or cancel one or all. After a lost connection
// uploads wait and resume by themselves.

import { type Cabinet, createFolder } from '@cabinet/client';
import type { DroppedFiles } from './dropped-files.ts';
import { forgetUpload, sendUpload } from './send.ts';
import type { Conflict, Upload, UploadState } from './upload.ts';

const atOnce = 3;
const firstPauseMs = 2_000;
const maxPauseMs = 20_000;
const unfinished: ReadonlySet<UploadState> = new Set(['waiting', 'running', 'stalled', 'paused', 'asking']);

/** Temporary errors. */
const passing: ReadonlySet<string> = new Set(['Unreachable', 'ShuttingDown', 'StorageUnavailable']);

type OnSaved = (upload: Upload, folderId: string) => void;

class UploadQueue {
  uploads: readonly Upload[] = [];
  /** Counts changes, for subscribers. */
  version = 0;
  #lastId = 0;
  #forAll: Conflict | 'skip' | null = null;
  #onSaved: OnSaved = () => undefined;
  #isTelling = false;
  #listeners = new Set<() => void>();

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  onSaved(listener: OnSaved): void {
    this.#onSaved = listener;
  }

  get isBusy(): boolean {
    return this.uploads.some(({ state }) => unfinished.has(state));
  }

  add(cabinet: Cabinet, folderId: string, { files, empty }: DroppedFiles): void {
    if (!this.isBusy) this.#forAll = null;
    const toFolder = openFolders(cabinet, folderId);
    const added = files.map(({ file, folders }): Upload => {
      this.#lastId += 1;
      return {
        id: this.#lastId,
        file,
        name: file.name,
        cabinet,
        folder: () => toFolder(folders),
        state: 'waiting',
        sentBytes: 0,
        error: null,
        conflict: 'Fail',
        saved: null,
        session: null,
        abort: null,
      };
    });
    // Empty folders have no progress.
    for (const folders of empty) void toFolder(folders).catch(() => undefined);
    this.uploads = [...this.uploads, ...added];
    this.#notify();
    this.#fill();
  }

  #fill(): void {
    const running = this.uploads.filter(({ state }) => state === 'running').length;
    const waiting = this.uploads.filter(({ state }) => state === 'waiting');
    for (const upload of waiting.slice(0, Math.max(0, atOnce - running))) void this.#run(upload);
  }

  async #run(upload: Upload, pauseMs = firstPauseMs): Promise<void> {
    const abort = new AbortController();
    this.#set(upload, { state: 'running', error: null, abort });
    const isOurs = () => upload.abort === abort;
    try {
      const folderId = await upload.folder();
      abort.signal.throwIfAborted();
      const saved = await sendUpload(upload, folderId, abort.signal, (sentBytes) => {
        if (isOurs()) this.#set(upload, { sentBytes: Math.min(sentBytes, upload.file.size) });
      });
      if (!isOurs()) return;
      this.#set(upload, { state: 'done', sentBytes: upload.file.size, saved });
      this.#onSaved(upload, folderId);
    } catch (error) {
      if (!isOurs() || abort.signal.aborted) return;
      this.#take(upload, error, pauseMs);
    }
    this.#fill();
  }

  #take(upload: Upload, error: unknown, pauseMs: number): void {
    const code = (error as { code?: string } | null)?.code;
    if (code === 'NameAlreadyExists' && upload.conflict === 'Fail') this.#ask(upload, error);
    else if (!passing.has(code ?? '')) this.#set(upload, { state: 'failed', error });
    else this.#stall(upload, error, pauseMs);
  }

  #stall(upload: Upload, error: unknown, pauseMs: number): void {
    this.#set(upload, { state: 'stalled', error });
    const { abort } = upload;
    setTimeout(() => {
      if (upload.state === 'stalled' && upload.abort === abort)
        void this.#run(upload, Math.min(maxPauseMs, pauseMs * 2));
    }, pauseMs);
  }

  #ask(upload: Upload, error: unknown): void {
    this.#set(upload, { state: 'asking', error });
    if (this.#forAll !== null) this.answer(upload, this.#forAll, false);
  }

  /** The first one whose name is taken. */
  get asking(): Upload | null {
    return this.uploads.find(({ state }) => state === 'asking') ?? null;
  }

  answer(upload: Upload, choice: Conflict | 'skip', isForAll: boolean): void {
    if (isForAll) this.#forAll = choice;
    if (choice === 'skip') this.#set(upload, { state: 'skipped' });
    else this.#set(upload, { state: 'waiting', conflict: choice, session: null });
    if (isForAll) for (const other of this.uploads) if (other.state === 'asking') this.answer(other, choice, false);
    this.#fill();
  }

  pause(upload: Upload): void {
    if (!['waiting', 'running', 'stalled'].includes(upload.state)) return;
    const { abort } = upload;
    this.#set(upload, { state: 'paused', abort: null });
    abort?.abort();
    this.#fill();
  }

  /** Also retries failed uploads. */
  resume(upload: Upload): void {
    if (!['paused', 'failed', 'stalled', 'cancelled'].includes(upload.state)) return;
    upload.abort?.abort();
    this.#set(upload, { state: 'waiting', abort: null, error: null });
    this.#fill();
  }

  cancel(upload: Upload): void {
    if (!unfinished.has(upload.state)) return;
    const { abort } = upload;
    this.#set(upload, { state: 'cancelled', abort: null, sentBytes: 0 });
    abort?.abort();
    forgetUpload(upload);
    upload.session = null;
    this.#fill();
  }

  all(act: 'pause' | 'resume' | 'cancel'): void {
    for (const upload of this.uploads) {
      if (act === 'resume' && upload.state === 'cancelled') continue;
      this[act](upload);
    }
  }

  /** Removes finished uploads. */
  clear(): void {
    this.uploads = this.uploads.filter(({ state }) => unfinished.has(state));
    this.#notify();
  }

  #set(upload: Upload, changes: Partial<Upload>): void {
    Object.assign(upload, changes);
    this.#notify();
  }

  /** Notifies once per frame. */
  #notify(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    // A timer, because a page in the background has no frames but continues to upload.
    setTimeout(() => {
      this.#isTelling = false;
      this.version += 1;
      for (const listener of this.#listeners) listener();
    }, 50);
  }
}

/** Each folder is created once, however many files are in it; an existing one is used. */
function openFolders(cabinet: Cabinet, rootId: string): (folders: readonly string[]) => Promise<string> {
  const made = new Map<string, Promise<string>>();
  const open = (folders: readonly string[]): Promise<string> => {
    const name = folders.at(-1);
    if (name === undefined) return Promise.resolve(rootId);
    const key = folders.join('/');
    const known = made.get(key);
    if (known !== undefined) return known;
    const making = open(folders.slice(0, -1))
      .then((parent) => createFolder(cabinet, { parent, name, conflict: 'Existing' }))
      .then(({ Id }) => Id);
    // After a failure the next file tries again.
    making.catch(() => made.delete(key));
    made.set(key, making);
    return making;
  };
  return open;
}

export const uploads = new UploadQueue();
