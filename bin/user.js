#!/usr/bin/env node
// Where the command line for people without the service begins; bin/cabinet of the package @cabinet/cli. It runs on whatever Node there
// is, so nothing is imported before its version is known.

const oldestNode = 24;

if (Number.parseInt(process.versions.node, 10) < oldestNode) {
  console.error(`cabinet: Node ${oldestNode} or newer is needed; this is ${process.version}.`);
  process.exit(1);
}

await import('./prepare.js');
const { run } = await import('../src/cli/user/main.ts');
await run(process.argv.slice(2));
