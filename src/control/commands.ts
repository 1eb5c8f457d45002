// All operator commands. The running service executes them, or the command line itself when no service holds the data folder. Results
// are the JSON that `--json` prints.

import { Refusal } from '../domain/refusal.ts';
import { endSignIns } from '../operations/admin/people.ts';
import { applicationCommands, toRegistered } from './application-commands.ts';
import { auditCommands } from './audit-commands.ts';
import { type Command, type CommandContext, type Commands, nobody } from './command.ts';
import { exportCommands } from './export-command.ts';
import { groupCommands } from './group-commands.ts';
import { importCommands } from './import-command.ts';
import { cabinetOf, readEnvironment } from './input.ts';
import { maintenanceCommands } from './maintenance-commands.ts';
import { personalDataCommands } from './personal-data-commands.ts';
import { quotaCommands } from './quota-commands.ts';
import { searchCommands } from './search-commands.ts';
import { userCommands } from './user-commands.ts';

export async function runCommand(
  context: CommandContext,
  { name, input }: Command,
  observer = nobody,
): Promise<object> {
  const run = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (run === undefined) throw new Refusal('InvalidField', `Unknown command ${JSON.stringify(name)}.`);
  return await run(context, input, observer);
}

const commands: Commands = {
  ...applicationCommands,
  ...userCommands,
  ...personalDataCommands,
  ...groupCommands,
  ...importCommands,
  ...exportCommands,
  ...quotaCommands,
  ...searchCommands,
  ...auditCommands,
  ...maintenanceCommands,
  async addresses(context) {
    const { production = null, test = null, mutualTls = null } = context.addresses() ?? {};
    return { Production: production, Test: test, MutualTls: mutualTls };
  },
  async 'keys rotate'(context, input) {
    const environment = readEnvironment(input);
    const isOldRevoked = input.revokeOld === true;
    if (isOldRevoked) await endSignIns(cabinetOf(context, input));
    await context.rotateKeys(environment, isOldRevoked);
    await context.environment(environment).rotateJournalKey();
    return { Environment: environment, OldKeys: isOldRevoked ? 'revoked' : 'still verify' };
  },
  async reset(context, input) {
    const environment = readEnvironment(input);
    if (environment === 'production')
      throw new Refusal('InvalidField', 'Production is never emptied.', { target: 'env' });
    return toRegistered(await context.reset(environment));
  },
};
