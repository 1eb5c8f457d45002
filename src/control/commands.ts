// What an operator can ask for by command, the same whether it is carried out by the running service or by the command
// itself on a folder that no service holds. Answers are the JSON that `--json` prints.

import type { Authority } from '../certificates/authority.ts';
import { Refusal } from '../domain/refusal.ts';
import type { Environment, EnvironmentName } from '../environment.ts';
import type { ApplicationWithSecret } from '../operations/applications.ts';
import { endSignIns } from '../operations/people.ts';
import type { Places } from '../storage.ts';
import { applicationCommands, toRegistered } from './application-commands.ts';
import { auditCommands } from './audit-commands.ts';
import { type Command, nobody, type Watcher } from './command.ts';
import { exportCommands } from './export-command.ts';
import { importCommands } from './import-command.ts';
import { cabinetOf, type Input, readEnvironment } from './input.ts';
import { maintenanceCommands } from './maintenance-commands.ts';
import { quotaCommands } from './quota-commands.ts';
import { searchCommands } from './search-commands.ts';
import { userCommands } from './user-commands.ts';

/** What commands work on. */
export interface Controlled {
  environment(name: EnvironmentName): Environment;
  reset(name: EnvironmentName): Promise<ApplicationWithSecret>;
  rotateKeys(name: EnvironmentName, isOldRevoked: boolean): Promise<void>;
  /** Our own certificate authority. */
  authority(): Promise<Authority>;
  /** Whether the mutual-TLS address trusts it. */
  hasOwnAuthority: boolean;
  /** Where all environments are kept. */
  dataFolder: string;
  places: Places;
  addresses(): { production: string; test: string | null; mutualTls: string | null } | null;
}

export type Commands = Record<string, (controlled: Controlled, input: Input, watcher: Watcher) => Promise<object>>;

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
