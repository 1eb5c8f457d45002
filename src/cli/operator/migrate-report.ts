// What `cabinet migrate` tells when it is done: as JSON, and as lines for people.

import type { MigrationReport } from '../../maintenance/migrate/migrate.ts';
import { toSize } from '../size.ts';

interface Places {
  Records: string;
  Contents: string;
}

export interface EnvironmentReport {
  Environment: string;
  From: Places;
  To: Places;
  /** Null, here and below: stayed where it was, or is still to be moved. Bytes: of small contents, within the records. */
  Records: { Count: number; Bytes: number; Rows: Record<string, number> } | null;
  Contents: { Count: number; Bytes: number; Copied: number } | null;
  Journal: { Head: string; SealedParts: number | null; Problems: { Position: number; Problem: string }[] } | null;
  /** Unfinished uploads, which are not carried over. */
  UploadsLeft: number;
  Differences: { Record: string; Problem: string }[];
  Finished: boolean;
  /** When an earlier run had finished it, and nothing was left to do; null: it was this one, or none. */
  FinishedBefore: string | null;
}

export interface Report {
  Finished: boolean;
  Environments: EnvironmentReport[];
}

export function toReport(
  name: string,
  places: { From: Places; To: Places },
  { records, contents, journalFiles, chain, uploadsLeft, differences, isFinished, doneAt }: MigrationReport,
): EnvironmentReport {
  const count = (rows: Record<string, number>) => Object.values(rows).reduce((sum, rows) => sum + rows, 0);
  return {
    Environment: name,
    ...places,
    Records: records && { Count: count(records.rows), Bytes: records.bytes, Rows: records.rows },
    Contents: contents && { Count: contents.blobs, Bytes: contents.bytes, Copied: contents.copied },
    Journal: chain && {
      Head: chain.head,
      SealedParts: journalFiles,
      Problems: chain.problems.map(({ position, problem }) => ({ Position: position, Problem: problem })),
    },
    UploadsLeft: uploadsLeft,
    Differences: differences.map(({ record, problem }) => ({ Record: record, Problem: problem })),
    Finished: isFinished,
    FinishedBefore: doneAt,
  };
}

export function toLines({ Environments, Finished }: Report): string[] {
  const lines = Environments.flatMap(toEnvironmentLines);
  const hasDifferences = Environments.some(({ Differences }) => Differences.length > 0);
  if (hasDifferences)
    return [...lines, 'There are differences, so the target cannot be used. The source is as it was.'];
  if (Finished)
    return [...lines, 'Finished. From now on the service must be started with the new settings, and only with them.'];
  return [...lines, 'To finish, stop the service and run it again without --contents-only.'];
}

function toEnvironmentLines(report: EnvironmentReport): string[] {
  const { Environment, From, To, Records, Contents, Journal, Differences } = report;
  if (report.FinishedBefore !== null) return [`${Environment}: was finished on ${report.FinishedBefore}`];
  const lines: string[] = [];
  if (Records !== null) {
    const small = `${toSize(Records.Bytes)} of small contents among them`;
    lines.push(`${Records.Count} records (${small}), from ${From.Records} to ${To.Records}`);
  }
  if (Contents !== null) {
    const copied = `${Contents.Copied} of them copied now`;
    lines.push(
      `${Contents.Count} large contents (${toSize(Contents.Bytes)}), ${copied}, from ${From.Contents} to ${To.Contents}`,
    );
  }
  if (Journal !== null) lines.push(`the journal's head is ${Journal.Head}`);
  for (const { Position, Problem } of Journal?.Problems ?? []) {
    lines.push(`the journal was broken before, at ${Position}: ${Problem}`);
  }
  if (report.UploadsLeft > 0) {
    lines.push(`${report.UploadsLeft} unfinished uploads are NOT carried over; their clients must begin them again`);
  }
  for (const { Record, Problem } of Differences) lines.push(`DIFFERENT ${Record}: ${Problem}`);
  if (Differences.length === 0) lines.push('compared, without a difference');
  return lines.map((line) => `${Environment}: ${line}`);
}
