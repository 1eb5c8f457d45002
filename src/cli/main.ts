// The command line: `cabinet COMMAND`. Every command takes `--json` and then prints exactly one JSON object.

import { Command } from 'commander';
import { registerApp } from './app.ts';
import { registerAudit } from './audit.ts';
import { registerConfig } from './config.ts';
import { registerImport } from './import.ts';
import { registerKeys } from './keys.ts';
import { registerMigrate } from './migrate.ts';
import { registerQuota } from './quota.ts';
import { registerReset } from './reset.ts';
import { registerSearch } from './search.ts';
import { registerServe } from './serve.ts';
import { registerToken } from './token.ts';
import { registerUser } from './user.ts';

const program = new Command('cabinet')
  .description('A self-hosted content management service. A 200 means durable.')
  .showHelpAfterError('(cabinet help shows what there is)');

const commands = [
  registerServe,
  registerApp,
  registerUser,
  registerToken,
  registerKeys,
  registerImport,
  registerMigrate,
  registerQuota,
  registerSearch,
  registerAudit,
  registerConfig,
  registerReset,
];
for (const register of commands) register(program);

await program.parseAsync();
