// What an operator can ask for by command, the same whether it is carried out by the running service or by the command
// itself on a folder that no service holds. Answers are the JSON that `--json` prints.

import { Refusal } from '../domain/refusal.ts';
import { endSignIns } from '../operations/admin/people.ts';
import { applicationCommands, toRegistered } from './application-commands.ts';
import { auditCommands } from './audit-commands.ts';
import { type Command, type Commands, type Controlled, nobody } from './command.ts';
import { exportCommands } from './export-command.ts';
import { importCommands } from './import-command.ts';
import { cabinetOf, readEnvironment } from './input.ts';
import { maintenanceCommands } from './maintenance-commands.ts';
import { quotaCommands } from './quota-commands.ts';
import { searchCommands } from './search-commands.ts';
import { userCommands } from './user-commands.ts';

export async function runCommand(controlled: Controlled, { name, input }: Command, watcher = nobody): Promise<object> {
  const run = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (run === undefined) throw new Refusal('InvalidField', `There is no command ${JSON.stringify(name)}.`);
  return await run(controlled, input, watcher);
}

const commands: Commands = {
  ...applicationCommands,
  ...userCommands,
  ...importCommands,
  ...exportCommands,
  ...quotaCommands,
  ...searchCommands,
  ...auditCommands,
  ...maintenanceCommands,
  async addresses(controlled) {
    const { production = null, test = null, mutualTls = null } = controlled.addresses() ?? {};
    return { Production: production, Test: test, MutualTls: mutualTls };
  },
  async 'keys rotate'(controlled, input) {
    const environment = readEnvironment(input);
    const isOldRevoked = input.revokeOld === true;
    if (isOldRevoked) await endSignIns(cabinetOf(controlled, input));
    await controlled.rotateKeys(environment, isOldRevoked);
    return { Environment: environment, OldKeys: isOldRevoked ? 'revoked' : 'still verify' };
  },
  async reset(controlled, input) {
    const environment = readEnvironment(input);
    if (environment === 'production')
      throw new Refusal('InvalidField', 'Production is never emptied.', { target: 'env' });
    return toRegistered(await controlled.reset(environment));
  },
};
