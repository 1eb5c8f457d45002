// Runs an operator command: in the service that holds the data folder or, if none runs, in this process.

import { readConfig } from '../../config/config.ts';
import { askService } from '../../control/ask.ts';
import { type Command, nobody } from '../../control/command.ts';

export async function runCommand(command: Command, observer = nobody): Promise<object> {
  const config = readConfig();
  const answer = await askService(config, command, observer);
  if (answer !== null) return answer;
  // Loaded only when needed: it takes a second.
  const { runOffline } = await import('./run-offline.ts');
  return await runOffline(config, command, observer);
}
