// strace, for counting and failing the system calls of the real process.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { hasProgram } from './programs.ts';

export const canTrace = process.platform === 'linux' && hasProgram('strace');

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
