// Runs an operator command on a data folder that no service uses, under the folder's lock.

import { mkdirSync } from 'node:fs';
import { rotateKeys } from '../../auth/keys.ts';
import type { Config } from '../../config/config.ts';
import type { Command, CommandContext, CommandObserver } from '../../control/command.ts';
import { runCommand } from '../../control/commands.ts';
import type { EnvironmentName } from '../../domain/environment-name.ts';
import { addApplication, plainApplication } from '../../operations/admin/applications.ts';
import { lockFolder } from '../../runtime/folder-lock.ts';
import { type Environment, emptyEnvironment, openEnvironment } from '../../server/environment.ts';

export async function runOffline(config: Config, command: Command, observer: CommandObserver): Promise<object> {
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(config.dataFolder, `cabinet ${command.name}`);
  const name = (command.input.env === 'test' ? 'test' : 'production') satisfies EnvironmentName;
  let environment: Environment | null = null;
  try {
    environment = await open(config, name);
    const context: CommandContext = {
      environment: () => environment as Environment,
      dataFolder: config.dataFolder,
      storage: config,
      addresses: () => null,
      publicUrlOf: (environment) => toPublicUrl(config[environment]),
      // Loaded only when needed: it brings in everything that answers requests.
      authority: async () => await (await import('../../server/addresses.ts')).openOwnAuthority(config),
      hasOwnAuthority: config.mutualTls.caPath === null,
      async rotateKeys(_, isOldRevoked) {
        await rotateKeys((environment as Environment).keyStore, isOldRevoked);
      },
      async reset() {
        await environment?.close();
        await emptyEnvironment(config, name);
        environment = await open(config, name);
        return await addApplication(environment.cabinet, { ...plainApplication, name: 'first', certificates: [] });
      },
    };
    return await runCommand(context, command, observer);
  } finally {
    await environment?.close();
    lock.release();
  }
}

/** The address that the service will have, unless the system chooses the port. */
function toPublicUrl({ publicUrl, tls, host, port }: Config['production']): string {
  if (publicUrl !== null) return publicUrl;
  return `${tls === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function open(config: Config, name: EnvironmentName): Promise<Environment> {
  const fail = (error: unknown) => {
    throw error;
  };
  return openEnvironment(config, name, { onFatal: fail, onBackgroundError: fail });
}
