// `verify` and `backup` while the service runs.

import { isAbsolute } from 'node:path';
import { type EnvironmentName, environmentNames } from '../domain/environment-name.ts';
import { Refusal } from '../domain/refusal.ts';
import { makeBackup } from '../maintenance/backing-up.ts';
import { type Observer, verifyAll } from '../maintenance/maintenance.ts';
import { toBackupReport, toVerifyReport } from '../maintenance/maintenance-report.ts';
import type { CommandContext, CommandObserver, Commands, Input } from './command.ts';
import { readEnvironment, readOptionalText, readText } from './input.ts';

export const maintenanceCommands: Commands = {
  async verify(context, input, observer) {
    const names = input.env === undefined ? environmentNames : [readEnvironment(input)];
    return toVerifyReport(await verifyAll({ storage: context.storage, observer: toObserver(observer) }, names));
  },
  async backup(context, input, observer) {
    const directory = readText(input, 'directory');
    if (!isAbsolute(directory)) throw new Refusal('InvalidField', 'directory must be an absolute path.');
    const { storage } = context;
    const hold = (name: EnvironmentName) => findOpen(context, name)?.holdBlobs() ?? (async () => undefined);
    const configuration = readConfiguration(input);
    const keyFile = readOptionalText(input, 'keyFile') ?? null;
    try {
      return toBackupReport(
        await makeBackup({ storage, directory, configuration, keyFile, hold, observer: toObserver(observer) }),
      );
    } catch (error) {
      // The message is for the operator.
      throw (error as Error).name === 'BackupError' ? new Refusal('InvalidField', (error as Error).message) : error;
    }
  },
};

function toObserver({ progress, signal }: CommandObserver): Observer {
  return { progress: ({ step, done, of }) => progress({ Step: step, Done: done, Of: of }), signal };
}

/** Null: it is switched off or has failed, so nothing is discarded there. */
function findOpen(context: CommandContext, name: EnvironmentName) {
  try {
    return context.environment(name);
  } catch {
    return null;
  }
}

function readConfiguration(input: Input): string[] {
  return (readOptionalText(input, 'configuration') ?? '').split('\n').filter((path) => path !== '');
}
