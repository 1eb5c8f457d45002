// The cost of a process and its descendants so far, from /proc: processor time of all threads and peak resident memory. Linux
// only; elsewhere every value is null and the report prints n/a.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

// USER_HZ is 100 on every Linux that Node runs on; it is part of the kernel's interface, not the timer's real frequency.
const microsPerTick = 10_000;

/** User and system time of the process tree, finished children included. */
export function readCpuMicros(pid: number): number | null {
  const pids = readTree(pid);
  if (pids === null) return null;
  let ticks = 0;
  for (const member of pids) {
    const stat = readText(`/proc/${member}/stat`);
    if (stat === null) continue;
    // The second field is the program's name in parentheses and may hold spaces; the fields after it are counted from 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    for (const field of [14, 15, 16, 17]) ticks += Number(fields[field - 3]);
  }
  return ticks * microsPerTick;
}

/** The same of the threads that now live, counted by the scheduler at every switch: exact to a few milliseconds. */
export function readThreadMicros(pid: number): number | null {
  const pids = readTree(pid);
  if (pids === null) return null;
  let nanos = 0;
  for (const member of pids) {
    for (const task of readTasks(member) ?? []) {
      const spent = readText(`/proc/${member}/task/${task}/schedstat`)?.split(' ', 1)[0];
      nanos += Number(spent ?? 0);
    }
  }
  return nanos / 1000;
}

/** The same of each thread of one process. */
export function readEachThreadMicros(pid: number): Map<string, number> | null {
  const tasks = readTasks(pid);
  if (tasks === null) return null;
  const read = (task: string) => Number(readText(`/proc/${pid}/task/${task}/schedstat`)?.split(' ', 1)[0] ?? 0) / 1000;
  return new Map(tasks.map((task) => [task, read(task)]));
}

/** Bytes that the process tree has given to the disk, as the kernel counts them. */
export function readDiskBytes(pid: number): number | null {
  let bytes = 0;
  for (const member of readTree(pid) ?? []) {
    const [, written] = /^write_bytes: (\d+)$/m.exec(readText(`/proc/${member}/io`) ?? '') ?? [];
    if (written === undefined) return null;
    bytes += Number(written);
  }
  return bytes;
}

/** Busy time of all cores since the machine started, time stolen by its host included. */
export function readMachineCpuMicros(): number | null {
  const fields = readText('/proc/stat')?.split('\n', 1)[0]?.split(/ +/).slice(1).map(Number);
  if (fields === undefined) return null;
  // user, nice, system, then idle and iowait, which are not busy; guest time is already in user.
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields;
  return (user + nice + system + irq + softirq + steal) * microsPerTick;
}

/** Time that the machine's host took from each of its cores, since it started. */
export function readStolenMs(): number[] {
  const lines = readText('/proc/stat')?.match(/^cpu\d+ .*$/gm) ?? [];
  return lines.map((line) => (Number(line.split(' ')[8] ?? 0) * microsPerTick) / 1000);
}

/** The highest resident memory since `resetPeakRss`, summed over the process tree. */
export function readPeakRssBytes(pid: number): number | null {
  return readStatusBytes(pid, /^VmHWM:\s+(\d+) kB$/m);
}

export function readRssBytes(pid: number): number | null {
  return readStatusBytes(pid, /^VmRSS:\s+(\d+) kB$/m);
}

function readStatusBytes(pid: number, line: RegExp): number | null {
  const pids = readTree(pid);
  if (pids === null) return null;
  let kibibytes = 0;
  for (const member of pids) kibibytes += Number(line.exec(readText(`/proc/${member}/status`) ?? '')?.[1] ?? 0);
  return kibibytes * 1024;
}

/** Where the kernel refuses, the peak stays that of the process's whole life. */
export function resetPeakRss(pid: number): void {
  for (const member of readTree(pid) ?? []) {
    try {
      writeFileSync(`/proc/${member}/clear_refs`, '5');
    } catch {
      return;
    }
  }
}

function readTree(pid: number): number[] | null {
  const tasks = readTasks(pid);
  if (tasks === null) return null;
  const pids = [pid];
  for (const task of tasks) {
    const children = readText(`/proc/${pid}/task/${task}/children`) ?? '';
    for (const child of children.split(' ')) if (child !== '') pids.push(...(readTree(Number(child)) ?? []));
  }
  return pids;
}

function readTasks(pid: number): string[] | null {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return null;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
