// Where the command line begins.

import './prepare.js';

const { run } = await import('../src/cli/main.ts');
await run(process.argv.slice(2));
