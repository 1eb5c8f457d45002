// The catalog: everything that is SQL, as verbs. This file is the table of all verbs; each is written once and runs on
// any engine. A read sees one snapshot. A write resolves only when its commit is durable, or rejects with the `Refusal`
// that its verb threw; nothing of a refused write is kept.

import { addApplication } from './add-application.ts';
import * as applications from './applications.ts';
import { addCertificate, listCertificates, removeCertificate } from './certificates.ts';
import { findBlob, findContent, findUnreferencedBlobs, replaceBlob } from './contents.ts';
import { createFolder } from './create-folder.ts';
import { findByPath, findDetails, findEntry, findSpaceOf, listFolder } from './entries.ts';
import { forgetResults } from './idempotency.ts';
import * as issuerRecords from './issuer-records.ts';
import * as people from './people.ts';
import { saveFile } from './save-file.ts';
import type { Engine, Verb } from './sql.ts';

export const reads = {
  findApplication: applications.findApplication,
  hasApplications: applications.hasApplications,
  findBlob,
  findByPath,
  findContent,
  findDetails,
  findEntry,
  findIssuerRecord: issuerRecords.findIssuerRecord,
  findPerson: people.findPerson,
  findSpaceOf,
  findUnreferencedBlobs,
  findUser: people.findUser,
  listApplications: applications.listApplications,
  listCertificates,
  listFolder,
  listUsers: people.listUsers,
};

export const writes = {
  addApplication,
  addCertificate,
  addUser: people.addUser,
  consumeIssuerRecord: issuerRecords.consumeIssuerRecord,
  createFolder,
  endGrant: issuerRecords.endGrant,
  endIssuerRecord: issuerRecords.endIssuerRecord,
  endSignIns: people.endSignIns,
  forgetIssuerRecords: issuerRecords.forgetIssuerRecords,
  forgetResults,
  putIssuerRecord: issuerRecords.putIssuerRecord,
  removeCertificate,
  replaceBlob,
  rotateSecret: applications.rotateSecret,
  saveFile,
  setApplicationState: applications.setApplicationState,
  setPassword: people.setPassword,
  setRole: people.setRole,
  setUserState: people.setUserState,
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
