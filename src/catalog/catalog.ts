// The catalog: everything that is SQL, as verbs. This file is the table of all verbs; each is written once and runs on
// any engine. A read sees one snapshot. A write resolves only when its commit is durable, or rejects with the `Refusal`
// that its verb threw; nothing of a refused write is kept.

import type { Engine, Verb } from './sql.ts';
import { addApplication } from './verbs/add-application.ts';
import * as applications from './verbs/applications.ts';
import { addCertificate, listCertificates, removeCertificate } from './verbs/certificates.ts';
import { changeEntry } from './verbs/change-entry.ts';
import { listChanges, listPresent } from './verbs/changes.ts';
import { keepConsole } from './verbs/console-application.ts';
import { findBlob, findContent, findUnreferencedBlobs, replaceBlob } from './verbs/contents.ts';
import { abandonCopies, abandonCopy, beginCopy, continueCopy, finishCopy } from './verbs/copy-entry.ts';
import { createFolder } from './verbs/create-folder.ts';
import { forgetResults, isKeyKnown } from './verbs/idempotency.ts';
import * as issuerRecords from './verbs/issuer-records.ts';
import * as journal from './verbs/journal.ts';
import { endLease, expireLeases, leaseBlob, renewLeases } from './verbs/leases.ts';
import { listFolder } from './verbs/list-folder.ts';
import * as members from './verbs/members.ts';
import * as people from './verbs/people.ts';
import { findHiddenTrees, purgeSlice } from './verbs/purge.ts';
import * as quotas from './verbs/quotas.ts';
import { checkNaming, recallBatch, saveFile, saveVersion } from './verbs/save-file.ts';
import { findHits, findNames } from './verbs/search-hits.ts';
import * as settings from './verbs/settings.ts';
import { addSpace, findSpace, listSpaces, renameSpace } from './verbs/spaces.ts';
import { emptyTrash, isInTrash, listTrash, removeEntry, restoreEntry, trashEntry } from './verbs/trash.ts';
import { findByPath, findDetails, findEntry, findSpaceOf } from './verbs/tree.ts';
import * as uploads from './verbs/uploads.ts';
import { commentVersion, expireVersions, listVersions, removeVersion, restoreVersion } from './verbs/versions.ts';

export const reads = {
  checkNaming,
  findApplication: applications.findApplication,
  hasApplications: applications.hasApplications,
  findBlob,
  findByPath,
  findContent,
  findDetails,
  findEntry,
  findHiddenTrees,
  findHits,
  findIssuerRecord: issuerRecords.findIssuerRecord,
  findJournalEnds: journal.findJournalEnds,
  findNames,
  findPerson: people.findPerson,
  findSetting: settings.findSetting,
  findSpace,
  listSpaces,
  findSpaceOf,
  findSizeOf: quotas.findSizeOf,
  findTrashBytes: quotas.findTrashBytes,
  findUnreferencedBlobs,
  findUpload: uploads.findUpload,
  findUsage: quotas.findUsage,
  findUser: people.findUser,
  listApplications: applications.listApplications,
  listApplicationsOf: applications.listApplicationsOf,
  listAudit: journal.listAudit,
  listCertificates,
  isInTrash,
  isKeyKnown,
  listChanges,
  listFolder,
  listPresent,
  listTrash,
  listJournal: journal.listJournal,
  listMembers: members.listMembers,
  listQuotas: quotas.listQuotas,
  listUsage: quotas.listUsage,
  listUsers: people.listUsers,
  listVersions,
  recallBatch,
};

export const writes = {
  abandonCopies,
  abandonCopy,
  addApplication,
  addCertificate,
  addMember: members.addMember,
  addSpace,
  addUser: people.addUser,
  beginCopy,
  beginUpload: uploads.beginUpload,
  changeEntry,
  claimSetting: settings.claimSetting,
  commentVersion,
  consumeIssuerRecord: issuerRecords.consumeIssuerRecord,
  continueCopy,
  createFolder,
  dropUpload: uploads.dropUpload,
  emptyTrash,
  endGrant: issuerRecords.endGrant,
  endIssuerRecord: issuerRecords.endIssuerRecord,
  endLease,
  endSignIns: people.endSignIns,
  expireLeases,
  expireUploads: uploads.expireUploads,
  expireVersions,
  finishCopy,
  forgetIssuerRecords: issuerRecords.forgetIssuerRecords,
  forgetJournal: journal.forgetJournal,
  forgetResults,
  keepUpload: uploads.keepUpload,
  keepConsole,
  leaseBlob,
  noteRead: journal.noteRead,
  purgeSlice,
  putIssuerRecord: issuerRecords.putIssuerRecord,
  removeCertificate,
  renameSpace,
  removeEntry,
  removeVersion,
  renewLeases,
  replaceBlob,
  restoreEntry,
  restoreVersion,
  rotateSecret: applications.rotateSecret,
  saveFile,
  saveVersion,
  setApplicationState: applications.setApplicationState,
  setMember: members.setMember,
  setPassword: people.setPassword,
  setQuota: quotas.setQuota,
  setRole: members.setRole,
  setSetting: settings.setSetting,
  setUserState: people.setUserState,
  spendUploads: uploads.spendUploads,
  takeTurn: uploads.takeTurn,
  trashEntry,
};

/** Verbs that know of sums which are not written yet, and add to them; the most frequent ones. */
export const gathered: ReadonlySet<string> = new Set<keyof typeof writes>(['createFolder', 'saveFile', 'saveVersion']);

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
