// `verify` and `backup`, beside a service that runs.

import { isAbsolute } from 'node:path';
import { type EnvironmentName, environmentNames } from '../domain/environment-name.ts';
import { Refusal } from '../domain/refusal.ts';
import { makeBackup } from '../maintenance/backing-up.ts';
import { type Observer, verifyAll } from '../maintenance/maintenance.ts';
import { toBackupReport, toVerifyReport } from '../maintenance/maintenance-report.ts';
import type { Commands, Controlled, Input, Watcher } from './command.ts';
import { readEnvironment, readOptionalText, readText } from './input.ts';

export const maintenanceCommands: Commands = {
  async verify(controlled, input, watcher) {
    const names = input.env === undefined ? environmentNames : [readEnvironment(input)];
    return toVerifyReport(await verifyAll({ storage: controlled.storage, observer: toObserver(watcher) }, names));
  },
  async backup(controlled, input, watcher) {
    const directory = readText(input, 'directory');
    if (!isAbsolute(directory)) throw new Refusal('InvalidField', 'directory must be an absolute path.');
    const { storage } = controlled;
    const hold = (name: EnvironmentName) => findOpen(controlled, name)?.holdBlobs() ?? (async () => undefined);
    const configuration = readConfiguration(input);
    try {
      return toBackupReport(
        await makeBackup({ storage, directory, configuration, hold, observer: toObserver(watcher) }),
      );
    } catch (error) {
      // What it says is for whoever asked.
      throw (error as Error).name === 'BackupError' ? new Refusal('InvalidField', (error as Error).message) : error;
    }
  },
};

function toObserver({ progress, signal }: Watcher): Observer {
  return { progress: ({ step, done, of }) => progress({ Step: step, Done: done, Of: of }), signal };
}

/** Null: it is switched off or has failed, and nobody discards anything there. */
function findOpen(controlled: Controlled, name: EnvironmentName) {
  try {
    return controlled.environment(name);
  } catch {
    return null;
  }
}

function readConfiguration(input: Input): string[] {
  return (readOptionalText(input, 'configuration') ?? '').split('\n').filter((path) => path !== '');
}
