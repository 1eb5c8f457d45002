// The command line: `cabinet COMMAND`. Every command takes `--json` and then prints exactly one JSON object.

import { Command } from 'commander';
import { registerApp } from './app.ts';
import { registerConfig } from './config.ts';
import { registerReset } from './reset.ts';
import { registerServe } from './serve.ts';
import { registerToken } from './token.ts';

const program = new Command('cabinet')
  .description('A self-hosted content management service. A 200 means durable.')
  .showHelpAfterError('(cabinet help shows what there is)');

for (const register of [registerServe, registerApp, registerToken, registerConfig, registerReset]) register(program);

await program.parseAsync();
