// Carries out a command: by the service that holds the data folder, or, when none runs, here.

import { readConfig } from '../config/config.ts';
import { askService } from '../control/ask.ts';
import { type Command, nobody } from '../control/command.ts';

export async function carryOut(command: Command, watcher = nobody): Promise<object> {
  const config = readConfig();
  const answer = await askService(config, command, watcher);
  if (answer !== null) return answer;
  // The service's own parts, which take their time to load.
  const { carryOutHere } = await import('./carry-out-here.ts');
  return await carryOutHere(config, command, watcher);
}
