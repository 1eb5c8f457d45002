#!/usr/bin/env node
// Where the command line for people without the service begins; bin/cabinet of the package @cabinet/cli.

import './prepare.js';

const { run } = await import('../src/cli/user/main.ts');
await run(process.argv.slice(2));
