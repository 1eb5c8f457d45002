// `import`: imports a directory of the machine into a space, as one of its applications or as the operator.

import { randomUUID } from 'node:crypto';
import { lstatSync, type Stats, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { actingForItself, type Caller, type SpaceAccess, scopes } from '../domain/caller.ts';
import { Refusal } from '../domain/refusal.ts';
import { type ImportReport, importTree } from '../operations/admin/import-tree.ts';
import type { Cabinet } from '../operations/cabinet.ts';
import type { Commands, Input } from './command.ts';
import { cabinetOf, readOptionalText, readText } from './input.ts';

export const importCommands: Commands = {
  async import(context, input, { progress, signal }) {
    const cabinet = cabinetOf(context, input);
    const directory = checkDirectory(readText(input, 'directory'));
    const into = readInto(readOptionalText(input, 'into') ?? '/');
    const { caller, access } = await findCaller(cabinet, input);
    const { dev, ino } = lstatSync(context.dataFolder);
    const report = await importTree(cabinet, caller, {
      access,
      directory,
      into,
      except: { dev, ino },
      onProgress: (soFar) => progress(toCounts(soFar)),
      signal,
    });
    return toReport(report);
  },
};

/** The service reads it, so the service must be able to. */
function checkDirectory(path: string): string {
  let stats: Stats | null = null;
  try {
    stats = isAbsolute(path) ? statSync(path) : null;
  } catch {
    // Refused below.
  }
  if (stats?.isDirectory()) return path;
  throw new Refusal('InvalidField', `${JSON.stringify(path)} is not a directory that the service can read.`, {
    target: 'directory',
  });
}

function readInto(path: string): string[] {
  if (!path.startsWith('/')) {
    throw new Refusal('InvalidField', '--into must begin with /.', {
      target: 'into',
      hint: 'For example /Invoices/2026.',
    });
  }
  return path.split('/').filter((name) => name !== '');
}

async function findCaller(cabinet: Cabinet, input: Input): Promise<{ caller: Caller; access: SpaceAccess }> {
  const [application, space] = [readOptionalText(input, 'app'), readOptionalText(input, 'space')];
  if ((application === null) === (space === null)) {
    throw new Refusal('InvalidField', 'Give either an application (--app) or a space (--space).');
  }
  return application === null ? await asOperator(cabinet, space ?? '') : await asApplication(cabinet, application);
}

async function asOperator({ catalog }: Cabinet, space: string): Promise<{ caller: Caller; access: SpaceAccess }> {
  const access = await catalog.findSpace({ name: space });
  if (access === null) {
    throw new Refusal('SpaceNotFound', `There is no space ${JSON.stringify(space)}.`, { target: 'space' });
  }
  const who = { appKey: 'operator', actor: 'operator', ...actingForItself };
  return { access, caller: { ...who, scopes, spaces: [access], spaceId: null, requestId: randomUUID() } };
}

/** With the application's own scopes. */
async function asApplication(
  { catalog }: Cabinet,
  keyOrName: string,
): Promise<{ caller: Caller; access: SpaceAccess }> {
  const found = (await catalog.listApplications({})).find(({ appKey, name }) => [appKey, name].includes(keyOrName));
  if (found === undefined || found.state !== 'active' || found.access === null) {
    throw new Refusal('ApplicationNotFound', `No active application with a space is ${JSON.stringify(keyOrName)}.`);
  }
  const { appKey, name, access } = found;
  const who = { appKey, actor: `app:${name}`, ...actingForItself };
  return { access, caller: { ...who, scopes: found.scopes, spaces: [access], spaceId: null, requestId: randomUUID() } };
}

function toCounts({ folders, files, bytes, unchanged, skippedCount }: ImportReport): object {
  return { Folders: folders, Files: files, Bytes: bytes, Unchanged: unchanged, SkippedCount: skippedCount };
}

function toReport(report: ImportReport): object {
  return {
    ...toCounts(report),
    Skipped: report.skipped.map(({ path, problem }) => ({ Path: path, Problem: problem })),
    ...(report.stopped !== null && { Stopped: report.stopped }),
  };
}
