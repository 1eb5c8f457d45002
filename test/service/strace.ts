// strace, for counting and failing the system calls of the real process.

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { skipWithout, skipWithoutRoot } from './programs.ts';

/** Why a test that counts system calls is skipped; false: it can run. */
export const withoutTrace = process.platform === 'linux' ? skipWithout('strace') : 'needs Linux';
/** The same for one that traces a process that runs already: some systems let only root do that. */
export const withoutAttach = withoutTrace || (isAttachingOpen() ? false : skipWithoutRoot('failing syncs'));

function isAttachingOpen(): boolean {
  const path = '/proc/sys/kernel/yama/ptrace_scope';
  return !existsSync(path) || readFileSync(path, 'utf8').trim() === '0';
}

export interface FailingSyncs {
  /** How often the thread that tried most often has tried to sync the file. (The checkpointer may be at it beside the
   *  writer, before either knows.) */
  mostByOneThread(): number;
  /** What was tried to be synced, in order; without the search index, which can always be made again. */
  tried(): string[];
  stop(): void;
}

/** From now on every sync of this one file fails with EIO, after a while; resolves when that is so. The delay lets work pile
 *  up behind the sync that fails. */
export async function failSyncs(pid: number, path: string): Promise<FailingSyncs> {
  return await attach(pid, `${path}.trace`, ['-P', path]);
}

/** The same for every sync of the process, whatever it syncs. */
export async function failAllSyncs(pid: number, trace: string): Promise<FailingSyncs> {
  return await attach(pid, trace, []);
}

async function attach(pid: number, trace: string, of: string[]): Promise<FailingSyncs> {
  const inject = ['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:error=EIO:delay_enter=300000'];
  const strace = spawn('strace', ['-f', '-y', '-qq', ...inject, ...of, '-o', trace, '-p', String(pid)], {
    stdio: 'ignore',
  });
  const isTraced = () =>
    readdirSync(`/proc/${pid}/task`).every(
      (task) => !/^TracerPid:\t0$/m.test(readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8')),
    );
  while (!isTraced()) {
    if (strace.exitCode !== null) throw new Error(`strace cannot trace the service: exit code ${strace.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    mostByOneThread() {
      const threads = [...readFileSync(trace, 'utf8').matchAll(/^(\d+) +f(?:data)?sync\(/gm)].map(
        ([, thread]) => thread,
      );
      return Math.max(
        ...Map.groupBy(threads, (thread) => thread)
          .values()
          .map(({ length }) => length),
      );
    },
    tried() {
      const all = [...readFileSync(trace, 'utf8').matchAll(/f(?:data)?sync\(\d+<([^>]*)>/g)].map(
        ([, what]) => what ?? '',
      );
      return all.filter((what) => !what.includes('/search.db'));
    },
    stop: () => void strace.kill('SIGKILL'),
  };
}
