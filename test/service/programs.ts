// The one place that knows the optional programs of tests and benchmarks: what needs them, and the Debian packages that have
// them. As root on Debian a missing one is installed. Where that cannot be done, what needs it is skipped: with a reason, a line
// on stderr, and a line of JSON in the file that TEST_SKIPPED names, of which `renderSkipped` makes a summary. (The service refuses
// to start with a variable that begins with CABINET_ and is no setting.)

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface OptionalProgram {
  packages: readonly string[];
  /** What is skipped without it. */
  needs: string;
  /** A shell command that succeeds where it can be used; absent: its name is a program on the PATH. */
  check?: string;
  /** Whether nobody wants it installed for a test alone. */
  isLeftAlone?: boolean;
  /** Whether only benchmarks use it. */
  isForBench?: boolean;
}

const swiftPackages = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object'];

const programs = {
  apache2: { packages: ['apache2-bin'], needs: 'the service beneath a path of Apache' },
  bash: { packages: ['bash'], needs: 'walk-throughs of the documentation' },
  bubblewrap: { packages: ['bubblewrap'], needs: 'the sandbox of office documents', check: 'bwrap --ro-bind / / true' },
  caddy: { packages: ['caddy'], needs: 'the service beneath a path of Caddy' },
  // Without the window, which nobody sees in tests, a page takes half of the processor time. The whole one will do.
  chromium: {
    packages: ['chromium-headless-shell'],
    needs: 'tests in a browser',
    check: 'command -v chromium-headless-shell || command -v chromium',
  },
  cadaver: { packages: ['cadaver'], needs: 'WebDAV by cadaver' },
  curl: { packages: ['curl'], needs: 'walk-throughs of the documentation, uploads and downloads by curl' },
  davfs2: { packages: ['davfs2'], needs: 'WebDAV by davfs2', check: 'command -v mount.davfs && test -c /dev/fuse' },
  gcc: {
    packages: ['gcc', 'libc6-dev'],
    needs: 'power cuts, seeded bugs and disk faults of test/crash',
    check: `printf '#include <dlfcn.h>\\n#include <stdio.h>\\n' | gcc -fsyntax-only -x c -`,
  },
  haproxy: { packages: ['haproxy'], needs: 'nodes behind HAProxy and its configuration' },
  litmus: { packages: ['litmus'], needs: 'the tests of WebDAV by litmus' },
  java: { packages: ['default-jdk-headless'], needs: 'the example in Java' },
  minio: { packages: [], needs: 'the benchmark against MinIO', isForBench: true },
  'mkfs.ext4': { packages: ['e2fsprogs'], needs: 'a full disk of ext4' },
  'mkfs.xfs': { packages: ['xfsprogs'], needs: 'a full disk of xfs' },
  nginx: { packages: ['nginx'], needs: 'the service beneath a path of nginx' },
  npm: { packages: ['npm'], needs: 'the client as an npm package', isLeftAlone: true },
  openssl: { packages: ['openssl'], needs: 'certificates made by OpenSSL' },
  // A wrapper of this name may be there for another kernel than the one that runs.
  perf: {
    check: 'perf --version',
    packages: ['linux-perf'],
    needs: 'the profile of the benchmarks',
    isLeftAlone: true,
  },
  python3: {
    packages: ['python3'],
    needs: 'the example in Python, archives read by Python',
    check: `python3 -c 'import json, urllib.request, zipfile'`,
  },
  rclone: { packages: ['rclone'], needs: 'WebDAV by rclone, and the benchmark against it' },
  script: { packages: ['bsdutils'], needs: 'the command line in a terminal' },
  slowhttptest: { packages: ['slowhttptest'], needs: 'slow clients by slowhttptest' },
  sslscan: { packages: ['sslscan'], needs: 'the TLS scan' },
  strace: { packages: ['strace'], needs: 'counted and failing syncs' },
  swift: {
    packages: [...swiftPackages, 'memcached', 'util-linux'],
    needs: 'everything on S3 (OpenStack Swift)',
    check: [...swiftPackages.map((name) => `${name}-server`), 'memcached', 'setpriv']
      .map((name) => `command -v ${name}`)
      .join(' && '),
  },
  'systemd-analyze': { packages: ['systemd'], needs: 'the check of the systemd unit', isLeftAlone: true },
  tuspy: {
    packages: ['python3-tuspy'],
    needs: 'uploads by tuspy',
    check: `/usr/bin/python3 -c 'import tusclient'`,
  },
  unshare: {
    packages: ['util-linux'],
    needs: 'office documents converted in namespaces',
    check: 'unshare --user --map-root-user --net --pid --fork true',
    isLeftAlone: true,
  },
  unzip: { packages: ['unzip'], needs: 'archives read by unzip' },
  weed: { packages: [], needs: 'the benchmark against SeaweedFS', isForBench: true },
  wget: { packages: ['wget'], needs: 'downloads by wget' },
  yamllint: { packages: ['yamllint'], needs: 'the lint of YAML files' },
} as const satisfies Record<string, OptionalProgram>;

export type ProgramName = keyof typeof programs;

/** Whether the program can be used; it is installed if it can be. */
export function hasProgram(name: ProgramName): boolean {
  return skipWithout(name) === false;
}

/** For the option `skip` of a test: why it is skipped, or false where all of the programs can be used. */
export function skipWithout(...names: ProgramName[]): string | false {
  const missing = names.filter((name) => !canUse(name));
  return missing.length > 0 && `needs ${missing.join(' and ')}`;
}

/** The same for what only root on Linux can do. `what`: what is skipped. */
export function skipWithoutRoot(what: string): string | false {
  if (process.platform === 'linux' && process.getuid?.() === 0) return false;
  recordSkipped({ program: 'root', packages: [], skipped: what });
  return 'needs root on Linux';
}

/** The same for what mounts a file system, which root in a container may not do either. */
export function skipWithoutMount(what: string): string | false {
  const reason = skipWithoutRoot(what);
  if (reason !== false) return reason;
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-mount-'));
  const { status, error } = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
  if (status === 0) spawnSync('umount', [folder]);
  rmdirSync(folder);
  if (status === 0) return false;
  const packages = error === undefined ? [] : ['mount'];
  recordSkipped({ program: 'the right to mount file systems', packages, skipped: what });
  return 'needs the right to mount file systems';
}

const known = new Map<ProgramName, boolean>();

function canUse(name: ProgramName): boolean {
  const before = known.get(name);
  if (before !== undefined) return before;
  const program: OptionalProgram = programs[name];
  const canInstall = () => mayInstall(name, program) && install(toCheck(name, program), program.packages);
  const isUsable = isThere(name, program) || (canInstall() && isThere(name, program));
  if (!isUsable) recordSkipped({ program: name, packages: program.packages, skipped: program.needs });
  known.set(name, isUsable);
  return isUsable;
}

function toCheck(name: string, { check }: OptionalProgram): string {
  return check ?? `command -v ${name}`;
}

function isThere(name: string, program: OptionalProgram): boolean {
  return spawnSync('sh', ['-c', toCheck(name, program)]).status === 0;
}

/** Not a second time in one run of all tests: without a network every attempt takes long. */
function mayInstall(name: string, { packages, isLeftAlone = false }: OptionalProgram): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false;
  return !isLeftAlone && packages.length > 0 && !readSkipped().some(({ program }) => program === name);
}

/** All that tests use, before the first of them runs: one after the other they would wait for each other. */
export function installForTests(): void {
  const wanted = Object.entries<OptionalProgram>(programs)
    .filter(([name, program]) => program.isForBench !== true && mayInstall(name, program))
    .filter(([name, program]) => !isThere(name, program))
    .flatMap(([, program]) => program.packages);
  if (wanted.length > 0) install('false', [...new Set(wanted)]);
}

const lock = '/var/cache/apt/cabinet-tests.lock';

function install(check: string, packages: readonly string[]): boolean {
  const names = packages.join(' ');
  const plural = packages.length === 1 ? 'package' : 'packages';
  console.error(
    `Installing ${names} (Debian ${plural}) for the tests that need ${packages.length === 1 ? 'it' : 'them'}…`,
  );
  const command = `apt-get install -y -qq --no-install-recommends ${names}`;
  const { status, stderr } = runOneAtATime(`{ ${check}; } || { apt-get update -qq; ${command}; }`);
  if (status !== 0) console.error(`Could not install ${names}: ${stderr?.trim().split('\n').at(-1)}`);
  return status === 0;
}

/** Test files run beside each other, and the second one is refused by the locks of the system's own programs. */
function runOneAtATime(script: string) {
  return spawnSync('flock', [lock, 'sh', '-c', script], {
    encoding: 'utf8',
    // In this run level a package that is a service is not started because it is installed.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
  });
}

/** PostgreSQL refuses to run as root: this is the user that it runs as then. */
export function makePostgresUser(): void {
  if (spawnSync('id', ['postgres']).status === 0) return;
  runOneAtATime('id postgres || { groupadd -f postgres; useradd -g postgres postgres; }');
}

export interface Skipped {
  /** What is missing: a program, a right, or `root`. */
  program: string;
  packages: readonly string[];
  skipped: string;
}

/** Said at once, and once more in the summary. */
export function recordSkipped(line: Skipped): void {
  console.error(`SKIPPED: ${line.skipped} (needs ${toNeed(line)})`);
  const path = process.env.TEST_SKIPPED;
  if (path !== undefined && path !== '') appendFileSync(path, `${JSON.stringify(line)}\n`);
}

function toNeed({ program }: Skipped): string {
  return program === 'root' ? 'root on Linux' : program;
}

function readSkipped(): Skipped[] {
  const path = process.env.TEST_SKIPPED;
  return path && existsSync(path) ? parseSkipped(readFileSync(path, 'utf8').split('\n')) : [];
}

function parseSkipped(lines: readonly string[]): Skipped[] {
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Skipped);
}

/** The end of a test report, from the lines of the file that TEST_SKIPPED names: what was skipped, and how to have it run.
 *  Empty when nothing was. */
export function renderSkipped(lines: readonly string[]): string {
  const all = parseSkipped(lines);
  const unique = [...new Map(all.map((one) => [`${one.program} ${one.skipped}`, one])).values()];
  if (unique.length === 0) return '';
  const skipped = unique.map((one) => `  ${one.skipped} (needs ${toNeed(one)})`);
  const packages = [...new Set(unique.flatMap((one) => one.packages))].toSorted();
  const command = packages.length === 0 ? [] : [`To run them on Debian: apt-get install ${packages.join(' ')}`];
  return [
    `${unique.length} skipped, because something they need is missing:`,
    ...skipped.toSorted(),
    ...command,
    '',
  ].join('\n');
}
