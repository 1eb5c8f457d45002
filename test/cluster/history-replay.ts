// Plays the journal through: a small model of the tree takes each row as it stands, and says where it cannot be. In the end it
// must be the tree that was found, and every read must have seen a state that it had.

import type { Attempt, Deeds, Found, FoundEntry, JournalRow, Read, Tell } from './history.ts';

interface Version {
  sha256: string;
  row: JournalRow;
  attempt: Attempt;
}

interface Entry {
  id: string;
  parent: string;
  name: string;
  state: 'there' | 'trashed' | 'removed';
  versions: Version[];
  /** Those that took it away, or brought it back. */
  gone: Attempt[];
  /** Every folder that it was in. */
  parents: Set<string>;
}

interface Played {
  deeds: Deeds;
  rows: readonly JournalRow[];
  found: Found;
  reads: readonly Read[];
}

export function replay({ deeds, rows, found, reads }: Played, tell: Tell): void {
  const model = new Model(found.top, tell);
  for (const row of rows) {
    const attempt = deeds.byRequest.get(row.request);
    if (attempt !== undefined) model.take(row, attempt);
  }
  model.compare(found.entries);
  for (const read of reads) checkRead(read, model, deeds, tell);
}

class Model {
  readonly entries = new Map<string, Entry>();
  readonly #names = new Map<string, string>();
  readonly #top: string;
  readonly #tell: Tell;

  constructor(top: string, tell: Tell) {
    this.#top = top;
    this.#tell = tell;
  }

  take(row: JournalRow, attempt: Attempt): void {
    const { action, entry: id } = row;
    if (action === 'file.created' || action === 'folder.created') {
      this.#create(row, attempt);
      return;
    }
    const entry = this.entries.get(id);
    if (entry === undefined) this.#tell('contradiction', `${action} at ${row.position} of what was never made`);
    else if (action === 'file.saved') this.#save(entry, row, attempt);
    else this.#move(entry, row, attempt);
  }

  #create(row: JournalRow, attempt: Attempt): void {
    const { parent, name, version } = toDetails(row);
    if (this.entries.has(row.entry)) this.#tell('duplicate', `${row.entry} is made again at ${row.position}`);
    const { params } = attempt;
    if (params.behavior !== 'Rename' && params.name !== name) {
      this.#tell('contradiction', `${params.name} was requested, ${name} was created at ${row.position}`);
    }
    const entry: Entry = { id: row.entry, parent, name, state: 'there', versions: [], gone: [], parents: new Set() };
    this.entries.set(entry.id, entry);
    this.#claim(entry, row);
    if (row.action === 'folder.created') return;
    if (version !== 1) this.#tell('version', `${name} begins with version ${version} at ${row.position}`);
    entry.versions.push({ sha256: params.sha256 ?? '', row, attempt });
  }

  #save(entry: Entry, row: JournalRow, attempt: Attempt): void {
    const { version } = toDetails(row);
    if (!this.#isVisible(entry))
      this.#tell('contradiction', `${entry.name} is saved at ${row.position} while it is gone`);
    entry.versions.push({ sha256: attempt.params.sha256 ?? '', row, attempt });
    if (version !== entry.versions.length) {
      this.#tell('version', `${entry.name}: ${version} follows on ${entry.versions.length - 1} at ${row.position}`);
    }
  }

  #move(entry: Entry, row: JournalRow, attempt: Attempt): void {
    const { parent = entry.parent, name } = toDetails(row);
    const isBack = row.action === 'entry.restored';
    const isFree = isBack ? entry.state === 'trashed' : this.#isVisible(entry);
    const isRemoved = row.action === 'entry.removed';
    if (!isFree && !(isRemoved && entry.state === 'trashed')) {
      this.#tell('contradiction', `${row.action} at ${row.position} of ${entry.name}, which is ${entry.state}`);
    }
    this.#release(entry);
    if (row.action === 'entry.trashed') entry.state = 'trashed';
    else if (isRemoved) entry.state = 'removed';
    else {
      Object.assign(entry, { parent, name, state: 'there' });
      this.#claim(entry, row);
    }
    if (row.action !== 'entry.changed') entry.gone.push(attempt);
  }

  #claim(entry: Entry, { position }: JournalRow): void {
    const place = toPlace(entry);
    const other = this.#names.get(place);
    if (other !== undefined)
      this.#tell('name', `${entry.name} is taken by ${other} when ${entry.id} gets it at ${position}`);
    this.#names.set(place, entry.id);
    entry.parents.add(entry.parent);
    const parent = this.entries.get(entry.parent);
    const isThere = entry.parent === this.#top || (parent !== undefined && this.#isVisible(parent));
    if (!isThere) this.#tell('contradiction', `${entry.name} is put at ${position} into a folder that is not there`);
  }

  #release(entry: Entry): void {
    if (this.#names.get(toPlace(entry)) === entry.id) this.#names.delete(toPlace(entry));
  }

  #isVisible({ state, parent }: Entry): boolean {
    const above = this.entries.get(parent);
    return state === 'there' && (above === undefined || this.#isVisible(above));
  }

  /** Whoever took the entry away, or a folder that was ever above it. */
  takersOf({ gone, parents }: Entry): Attempt[] {
    const takers = [...gone];
    const above = new Set(parents);
    for (const id of above) {
      const folder = this.entries.get(id);
      if (folder === undefined) continue;
      takers.push(...folder.gone);
      for (const one of folder.parents) above.add(one);
    }
    return takers;
  }

  compare(found: readonly FoundEntry[]): void {
    const known = new Map(found.map((entry) => [entry.id, entry]));
    for (const entry of this.entries.values()) {
      const there = known.get(entry.id);
      if (there !== undefined) this.#compareOne(entry, there);
      else if (this.#isVisible(entry)) this.#tell('lost', `${entry.name} is not there`);
    }
    for (const { id, name } of found) {
      const entry = this.entries.get(id);
      if (entry === undefined || !this.#isVisible(entry))
        this.#tell('contradiction', `${name} is there, and should not be`);
    }
  }

  #compareOne(entry: Entry, there: FoundEntry): void {
    if (entry.name !== there.name || entry.parent !== there.parent) {
      this.#tell('lost', `${entry.name} in ${entry.parent} is found as ${there.name} in ${there.parent}`);
    }
    const numbers = there.versions.map(({ version }) => version);
    if (numbers.some((version, index) => version !== index + 1)) {
      this.#tell('version', `${entry.name} has the versions ${numbers.join(', ')}`);
    }
    for (const [index, { sha256, row }] of entry.versions.entries()) {
      const kept = there.versions[index];
      if (kept?.sha256 !== sha256)
        this.#tell('lost', `version ${index + 1} of ${entry.name}, of ${row.position}, is another`);
      else if (kept.read !== null && kept.read !== sha256) this.#tell('lost', `the bytes of ${entry.name} are others`);
    }
    if (there.versions.length > entry.versions.length) {
      this.#tell(
        'duplicate',
        `${entry.name} has ${there.versions.length} versions, ${entry.versions.length} were saved`,
      );
    }
    const current = there.versions.at(-1);
    if (current !== undefined && current.size !== there.size) {
      this.#tell('size', `${entry.name} says ${there.size}, its version has ${current.size}`);
    }
  }
}

/** What was read was there: not older than what was answered before, and not what nobody had sent yet. */
function checkRead({ entry: id, sha256, sentAt, answeredAt }: Read, model: Model, deeds: Deeds, tell: Tell): void {
  const entry = model.entries.get(id);
  if (entry === undefined) {
    tell('contradiction', `${id} was read, and was never made`);
    return;
  }
  if (sha256 === null) {
    const isTaken = model.takersOf(entry).some((attempt) => attempt.sentAt < answeredAt);
    if (!isTaken) tell('lost', `${entry.name} was answered, and then not found`);
    return;
  }
  const at = entry.versions.findLastIndex((version) => version.sha256 === sha256);
  const seen = entry.versions[at];
  if (seen === undefined) tell('contradiction', `bytes of ${entry.name} were read that are no version of it`);
  else if (seen.attempt.sentAt > answeredAt) tell('contradiction', `${entry.name} was read before it was sent`);
  const newer = entry.versions.slice(at + 1).some(({ attempt }) => {
    const known = deeds.answeredAt(attempt);
    return known !== null && known < sentAt;
  });
  if (newer) tell('contradiction', `an old version of ${entry.name} was read after a newer one was answered`);
}

function toDetails({ details }: JournalRow): { parent: string; name: string; version?: number } {
  return JSON.parse(details) as { parent: string; name: string; version?: number };
}

function toPlace({ parent, name }: { parent: string; name: string }): string {
  return `${parent} ${name.normalize('NFC')}`;
}
