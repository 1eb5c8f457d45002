// Runs an operator command: in the service that holds the data folder or, if none runs, in this process.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, readConfig } from '../../config/config.ts';
import { askService } from '../../control/ask.ts';
import { type Command, type CommandObserver, nobody } from '../../control/command.ts';

/** A service that is starting holds the data folder, but does not listen yet. */
const patienceMs = 30_000;
const againMs = 100;

export async function runCommand(command: Command, observer = nobody): Promise<object> {
  const config = readConfig();
  return await askOrRun({ config, command, observer }, async () => {
    // Loaded only when needed: it takes a second.
    const { runOffline } = await import('./run-offline.ts');
    return await runOffline(config, command, observer);
  });
}

interface CommandRequest {
  config: Config;
  command: Command;
  observer?: CommandObserver;
}

/** The result of the service or, if none runs, of `offline`, which begins by locking the data folder. */
export async function askOrRun<Result extends object>(
  { config, command, observer = nobody }: CommandRequest,
  offline: () => Promise<Result>,
): Promise<Result> {
  for (const until = performance.now() + patienceMs; ; await sleep(againMs)) {
    const answer = await askService(config, command, observer);
    if (answer !== null) return answer as Result;
    try {
      return await offline();
    } catch (error) {
      if ((error as Error).name !== 'FolderInUse' || performance.now() > until) throw error;
    }
  }
}
