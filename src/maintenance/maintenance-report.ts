// What `cabinet verify`, `cabinet backup` and `cabinet restore` print with `--json`.

import type { Backup } from './backing-up.ts';
import type { CheckedBackup } from './backup/restore.ts';
import type { VerifyReport } from './maintenance.ts';
import type { Problem } from './verify/problems.ts';

export interface ShownProblem {
  What: string;
  Problem: string;
  Entries: { Id: string; Path: string; Version: number }[];
}

export interface ShownVerify {
  Verified: boolean;
  Environments: ShownEnvironment[];
}

interface ShownEnvironment {
  Name: string;
  Entries: number;
  Versions: number;
  Contents: number;
  Blobs: number;
  Bytes: number;
  JournalRows: number;
  /** Blobs without a record: uploads under way, or left by a crash. */
  Strangers: number;
  ProblemCount: number;
  Problems: ShownProblem[];
}

export function toVerifyReport(verified: readonly { name: string; report: VerifyReport }[]): ShownVerify {
  const isWhole = verified.every(({ report }) => report.problemCount === 0);
  return { Verified: isWhole, Environments: verified.map(({ name, report }) => toShownEnvironment(name, report)) };
}

function toShownEnvironment(name: string, report: VerifyReport): ShownEnvironment {
  return {
    Name: name,
    Entries: report.entries,
    Versions: report.versions,
    Contents: report.contents,
    Blobs: report.blobs,
    Bytes: report.bytes,
    JournalRows: report.journalRows,
    Strangers: report.orphans,
    ProblemCount: report.problemCount,
    Problems: report.problems.map(toShown),
  };
}

function toShown({ what, problem, affected }: Problem): ShownProblem {
  const Entries = affected.map(({ id, path, version }) => ({ Id: id, Path: path, Version: version }));
  return { What: what, Problem: problem, Entries };
}

export interface ShownBackup {
  Directory: string;
  Environments: { Name: string; Contents: number; Bytes: number; Copied: number }[];
  Lost: { Blob: string; File: string; Problem: string }[];
  /** The fingerprint of the key that signed the manifest. */
  SignedBy: string;
}

export function toBackupReport({ directory, made, lost, signedBy }: Backup): ShownBackup {
  return {
    Directory: directory,
    Environments: made.map(({ environment: { Name, Contents, Bytes }, copied }) => ({
      ...{ Name, Contents, Bytes, Copied: copied },
    })),
    Lost: lost.map(({ blob, file, problem }) => ({ Blob: blob, File: file, Problem: problem })),
    SignedBy: signedBy,
  };
}

export interface ShownRestore {
  Restored: boolean;
  Directory: string;
  MadeAt: string;
  /** `unchecked`: signed, but no key was named; `missing`: not signed. */
  Signature: 'valid' | 'unchecked' | 'missing';
  SignedBy: string | null;
  Environments: { Name: string; Entries: number; Versions: number; Contents: number; Bytes: number }[];
  Problems: ShownProblem[];
}

export function toRestoreReport(directory: string, checked: CheckedBackup, isRestored: boolean): ShownRestore {
  return {
    Restored: isRestored,
    Directory: directory,
    MadeAt: checked.manifest.MadeAt,
    Signature: checked.signature.state,
    SignedBy: checked.signature.by,
    Environments: checked.environments.map(({ name, verified: { entries, versions, contents, bytes } }) => ({
      ...{ Name: name, Entries: entries, Versions: versions, Contents: contents, Bytes: bytes },
    })),
    Problems: checked.problems.map(toShown),
  };
}
