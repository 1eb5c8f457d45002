// Programs that tests need beside Node. Installed where that can be done: as root on Debian. Where it cannot, the tests
// that need them are skipped, and say so loudly.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const lock = '/var/cache/apt/cabinet-tests.lock';
const update = 'apt-get update -qq';
const install = 'apt-get install -y -qq --no-install-recommends';

/** Whether the program can be used; it comes with the Debian package of the same name, unless said. */
export function hasProgram(name: string, from = name): boolean {
  if (canInstall(`command -v ${name}`, [from])) return true;
  console.error(`SKIPPED: tests that need ${name}, which is not here and cannot be installed`);
  return false;
}

/** One at a time: test files run beside each other, and who comes second is turned away by the locks of the system's own programs. */
function runOneAtATime(script: string): void {
  spawnSync('flock', [lock, 'sh', '-c', script], {
    // In this run level a package that is a service is not started because it is installed.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  });
}

/** PostgreSQL refuses to run as root: this is the user that it runs as then. */
export function makePostgresUser(): void {
  if (spawnSync('id', ['postgres']).status === 0) return;
  runOneAtATime('id postgres || { groupadd -f postgres; useradd -g postgres postgres; }');
}

/** Whether the packages are there or could be installed. `check`: a shell command that succeeds when they are there. */
export function canInstall(check: string, packages: readonly string[]): boolean {
  const isThere = () => spawnSync('sh', ['-c', check]).status === 0;
  if (isThere()) return true;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false;
  runOneAtATime(`${check} || { ${update}; ${install} ${packages.join(' ')}; }`);
  return isThere();
}
