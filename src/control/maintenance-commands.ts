// `verify` and `backup`, beside a service that runs.

import { isAbsolute } from 'node:path';
import { type EnvironmentName, environmentNames } from '../domain/environment-name.ts';
import { Refusal } from '../domain/refusal.ts';
import { makeBackup } from '../maintenance/backing-up.ts';
import { verifyAll, type Watched } from '../maintenance/maintenance.ts';
import { toBackupReport, toVerifyReport } from '../maintenance/maintenance-report.ts';
import type { Commands, Controlled, Input, Watcher } from './command.ts';
import { readEnvironment, readOptionalText, readText } from './input.ts';

export const maintenanceCommands: Commands = {
  async verify(controlled, input, watcher) {
    const names = input.env === undefined ? environmentNames : [readEnvironment(input)];
    return toVerifyReport(await verifyAll({ places: controlled.places, watched: toWatched(watcher) }, names));
  },
  async backup(controlled, input, watcher) {
    const directory = readText(input, 'directory');
    if (!isAbsolute(directory)) throw new Refusal('InvalidField', 'directory must be an absolute path.');
    const { places } = controlled;
    const hold = (name: EnvironmentName) => findOpen(controlled, name)?.holdBlobs() ?? (async () => undefined);
    const configuration = readConfiguration(input);
    try {
      return toBackupReport(await makeBackup({ places, directory, configuration, hold, watched: toWatched(watcher) }));
    } catch (error) {
      // What it says is for whoever asked.
      throw (error as Error).name === 'CannotBackUp' ? new Refusal('InvalidField', (error as Error).message) : error;
    }
  },
};

function toWatched({ progress, signal }: Watcher): Watched {
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
