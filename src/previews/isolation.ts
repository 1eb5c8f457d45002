// How a converter is kept from everything but its document: by bubblewrap, by namespaces of `unshare`, or by neither where the system
// has none of them. Limits of time, size and memory are the same everywhere.

import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';

/** `sandbox`: it sees programs and fonts, a folder in memory, and nothing else of the disk; no network and no other process.
 *  `namespaces`: no network, and all of its processes end with it. `none`: limits only. */
export type Isolation = 'sandbox' | 'namespaces' | 'none';

/** Of the folder in memory. */
const maxFolderBytes = 512 * 1024 * 1024;

/** What programs consist of. Those that are absent are left out. */
const programFolders = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt', '/nix/store'],
  ...['/etc/alternatives', '/etc/fonts', '/etc/ld.so.cache', '/etc/libreoffice', '/var/cache/fontconfig'],
];

export interface Command {
  program: string;
  args: readonly string[];
}

/** `folder` is where the command may write: within the sandbox, or on the disk. */
export function isolate(isolation: Isolation, { program, args }: Command, converter: string): Command {
  if (isolation === 'none') return { program, args };
  if (isolation === 'namespaces') {
    const namespaces = ['--user', '--map-root-user', '--net', '--ipc', '--pid', '--fork', '--kill-child'];
    return { program: 'unshare', args: [...namespaces, program, ...args] };
  }
  const folder = dirname(toRealPath(converter));
  return {
    program: 'bwrap',
    args: [
      ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
      ...programFolders.flatMap((path) => ['--ro-bind-try', path, path]),
      ...['--proc', '/proc', '--dev', '/dev', '--size', String(maxFolderBytes), '--tmpfs', '/tmp'],
      ...['--ro-bind-try', folder, folder, '--', program, ...args],
    ],
  };
}

function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The best one that works here. Containers often forbid namespaces. */
export async function findIsolation(converter: string): Promise<Isolation> {
  for (const isolation of ['sandbox', 'namespaces'] as const) {
    if (await succeeds(isolate(isolation, { program: 'true', args: [] }, converter))) return isolation;
  }
  return 'none';
}

function succeeds({ program, args }: Command): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', env: bareEnvironment });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}

/** None of our settings. */
export const bareEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' };
