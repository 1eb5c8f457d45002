// `export`: writes spaces as plain files into a directory of the machine.

import { mkdirSync, readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { SpaceAccess } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { type ExportReport, emptyExport, exportTree, toSafeName } from '../operations/admin/export-tree.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import type { Commands } from './command.ts';
import { cabinetOf, readOptionalText, readText } from './input.ts';

const tellEveryMs = 200;

export const exportCommands: Commands = {
  async export(context, input, { progress, signal }) {
    const cabinet = cabinetOf(context, input);
    const directory = prepare(readText(input, 'directory'));
    const report = emptyExport();
    let toldAt = 0;
    const onProgress = () => {
      if (performance.now() - toldAt < tellEveryMs) return;
      toldAt = performance.now();
      progress(toCounts(report));
    };
    for (const access of await findSpaces(cabinet, readOptionalText(input, 'space'))) {
      const target = join(directory, toSafeName(access.spaceName));
      await exportTree(
        cabinet,
        { access, directory: target, sidecar: `${target}.entries.jsonl`, onProgress, signal },
        report,
      );
    }
    return {
      Directory: directory,
      ...toCounts(report),
      Skipped: report.skipped.map(({ path, problem }) => ({ Path: path, Problem: problem })),
    };
  },
};

function prepare(directory: string): string {
  if (!isAbsolute(directory)) throw new Refusal('InvalidField', 'directory must be an absolute path.');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (readdirSync(directory).length === 0) return directory;
  throw new Refusal('InvalidField', `${directory} is not empty. An export is written into an empty folder.`, {
    target: 'directory',
  });
}

async function findSpaces({ catalog }: Cabinet, name: string | null): Promise<SpaceAccess[]> {
  const all = await catalog.listSpaces({});
  const wanted = all.filter(({ spaceName }) => name === null || spaceName === name);
  if (wanted.length > 0 || name === null) return wanted;
  throw new Refusal('SpaceNotFound', `There is no space ${JSON.stringify(name)}.`, { target: 'space' });
}

function toCounts({ folders, files, bytes, skippedCount }: ExportReport): object {
  return { Folders: folders, Files: files, Bytes: bytes, SkippedCount: skippedCount };
}
