// strace, for counting and failing the system calls of the real process. Installed where that can be done: as root on
// Debian. Where it cannot, tests that need it are skipped, and say so.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export const canTrace = hasStrace();

function hasStrace(): boolean {
  const isThere = () => spawnSync('strace', ['-V']).status === 0;
  if (isThere()) return true;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false;
  spawnSync('apt-get', ['update', '-qq']);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'strace']);
  return isThere();
}

if (!canTrace) console.error('SKIPPED: tests that trace system calls (strace is not here and cannot be installed)');

/** From now on every sync of the process fails with EIO; resolves when that is so. */
export async function failSyncs(pid: number): Promise<() => void> {
  const inject = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO'];
  const strace = spawn('strace', ['-f', '-qq', ...inject, '-o', '/dev/null', '-p', String(pid)], { stdio: 'ignore' });
  const isTraced = () =>
    readdirSync(`/proc/${pid}/task`).every(
      (task) => !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8')),
    );
  while (!isTraced()) await new Promise((resolve) => setTimeout(resolve, 20));
  strace.on('error', () => undefined);
  void once(strace, 'exit').catch(() => undefined);
  return () => void strace.kill('SIGKILL');
}
