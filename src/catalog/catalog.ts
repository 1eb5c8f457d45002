// The catalog: everything that is SQL, as verbs. This file is the table of all verbs; each is written once and runs on
// any engine. A read sees one snapshot. A write resolves only when its commit is durable, or rejects with the `Refusal`
// that its verb threw; nothing of a refused write is kept.

import * as applications from './applications.ts';
import { findBlob, findContent, findUnreferencedBlobs, replaceBlob } from './contents.ts';
import { createFolder } from './create-folder.ts';
import { findEntry, listFolder } from './entries.ts';
import { forgetResults } from './idempotency.ts';
import { saveFile } from './save-file.ts';
import type { Engine, Verb } from './sql.ts';

export const reads = {
  findApplication: applications.findApplication,
  hasApplications: applications.hasApplications,
  findBlob,
  findContent,
  findEntry,
  findUnreferencedBlobs,
  listApplications: applications.listApplications,
  listFolder,
};

export const writes = {
  addApplication: applications.addApplication,
  createFolder,
  forgetResults,
  replaceBlob,
  rotateSecret: applications.rotateSecret,
  saveFile,
  setApplicationState: applications.setApplicationState,
};

type Asked<V> = V extends (input: infer Input) => Verb<infer Result> ? (input: Input) => Promise<Result> : never;
type Verbs = typeof reads & typeof writes;

export type Catalog = { readonly [Name in keyof Verbs]: Asked<Verbs[Name]> } & { close(): Promise<void> };

export function toCatalog(engine: Engine): Catalog {
  const asked = [
    ...Object.keys(reads).map((name) => [name, (input: unknown) => engine.read(name, input)] as const),
    ...Object.keys(writes).map((name) => [name, (input: unknown) => engine.write(name, input)] as const),
  ];
  return { ...Object.fromEntries(asked), close: () => engine.close() } as unknown as Catalog;
}
