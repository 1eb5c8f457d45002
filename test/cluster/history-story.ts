// Histories for tests of the checker, as a correct service would have made them.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { toLink } from '../../src/domain/chain.ts';
import type { Action, Attempt, Found, FoundEntry, History } from './history.ts';

export const top = 'top';
export const space = 7;

export type Row = Found['journal'][number];

export class Story {
  readonly history: History = { attempts: [], reads: [], followers: [] };
  readonly found: Found = {
    journal: [],
    keys: [],
    space,
    after: 1,
    top,
    entries: [],
    topSize: 0,
    usage: { entries: 0, bytes: 0 },
  };
  #now = 0;
  #deeds = 0;

  constructor() {
    this.write({ space: 1, action: 'application.added', entry: '', request: 'of another space', details: {} });
  }

  write({ details, ...row }: { space?: number; action: string; entry: string; request: string; details: object }): Row {
    const position = this.found.journal.length + 1;
    const change = { at: 0, space, by: 'app:a', details: JSON.stringify(details), ...row };
    const made = { ...change, position, link: toLink(this.found.journal.at(-1)?.link ?? '', position, change, null) };
    this.found.journal.push(made);
    return made;
  }

  attempt(action: Action, params: Attempt['params'], more: Partial<Attempt> = {}): Attempt {
    this.#deeds += 1;
    const request = `request ${this.history.attempts.length}`;
    const [sentAt, answeredAt] = [this.#now, this.#now + 1];
    this.#now += 2;
    const attempt = {
      request,
      deed: this.#deeds,
      hasKey: false,
      sentAt,
      answeredAt,
      outcome: 'done',
      ...more,
    } as const;
    const whole: Attempt = { ...attempt, action, params };
    this.history.attempts.push(whole);
    return whole;
  }

  get(id: string): FoundEntry {
    const entry = this.found.entries.find((one) => one.id === id);
    assert.ok(entry);
    return entry;
  }

  folder(name: string, parent = top): string {
    const attempt = this.attempt('folder', { parent, name });
    this.write({ action: 'folder.created', entry: name, request: attempt.request, details: { parent, name } });
    this.found.entries.push({ id: name, parent, name, type: 'folder', size: 0, versions: [] });
    attempt.result = { entry: name, name };
    return name;
  }

  save(name: string, text: string, parent = top, more: Partial<Attempt> = {}): Attempt {
    const sha256 = hash('sha256', text);
    const attempt = this.attempt('save', { parent, name, sha256 }, more);
    const known = this.found.entries.find((entry) => entry.id === name);
    const version = (known?.versions.length ?? 0) + 1;
    const action = version === 1 ? 'file.created' : 'file.saved';
    this.write({
      action,
      entry: name,
      request: attempt.request,
      details: { parent, name, version, size: text.length },
    });
    const kept = { version, size: text.length, sha256, read: sha256 };
    if (known === undefined) {
      this.found.entries.push({ id: name, parent, name, type: 'file', size: text.length, versions: [kept] });
    } else Object.assign(known, { size: text.length, versions: [...known.versions, kept] });
    attempt.result = { entry: name, name, version };
    return attempt;
  }

  rename(id: string, name: string): Attempt {
    const entry = this.get(id);
    const attempt = this.attempt('change', { entry: id, name });
    this.write({
      action: 'entry.changed',
      entry: id,
      request: attempt.request,
      details: { parent: entry.parent, name },
    });
    entry.name = name;
    return attempt;
  }

  trash(id: string): void {
    const { parent, name } = this.get(id);
    const { request } = this.attempt('trash', { entry: id });
    this.write({ action: 'entry.trashed', entry: id, request, details: { parent, name } });
    this.found.entries = this.found.entries.filter((entry) => entry.id !== id);
  }

  read(id: string, sha256: string | null): void {
    this.history.reads.push({ entry: id, sha256, sentAt: this.#now, answeredAt: this.#now + 1 });
    this.#now += 2;
  }

  /** Sums and followers as they must be. */
  finish(): this {
    const sum = (folder: string): number => {
      let total = 0;
      for (const entry of this.found.entries.filter(({ parent }) => parent === folder)) {
        if (entry.type === 'folder') entry.size = sum(entry.id);
        total += entry.size;
      }
      return total;
    };
    this.found.topSize = sum(top);
    const bytes = this.found.entries.flatMap(({ versions }) => versions).reduce((total, { size }) => total + size, 0);
    this.found.usage = { entries: this.found.entries.length, bytes };
    const positions = this.found.journal.filter((row) => row.space === space).map(({ position }) => position);
    this.history.followers = [positions, [...positions]];
    return this;
  }
}
