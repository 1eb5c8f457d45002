// The line that opens every report: when, on what, with which settings.

import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { cpus, platform, release } from 'node:os';
import { dirname } from 'node:path';
import type { Options } from './options.ts';

/** `facts`: what the scenario adds. */
export function describeConditions(options: Options, facts: readonly string[]): string {
  const [cpu] = cpus();
  const machine = [
    new Date().toISOString().slice(0, 16).replace('T', ' '),
    `commit ${readCommit(dirname(options.program))}`,
    `Node ${process.versions.node}`,
    `${platform()} ${release()}`,
    `${cpus().length} × ${cpu?.model.trim() ?? 'unknown CPU'}, shared with the load generator`,
    `data on ${nameFileSystem(options.dataParent)}`,
  ];
  const settings = Object.entries(options.settings).map(([name, value]) => `${name}=${value}`);
  return [...machine, ...facts, ...settings].join(' · ');
}

function readCommit(folder: string): string {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio }).trim();
    // What was measured before is no part of what is measured.
    const changed = git('status', '--porcelain', '--', ':/', ':/!bench/results');
    return `${git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : '-dirty'}`;
  } catch {
    return 'unknown';
  }
}

function nameFileSystem(folder: string): string {
  const names = new Map([
    [0xef53, 'ext4'],
    [0x58465342, 'xfs'],
    [0x9123683e, 'btrfs'],
    [0x2fc12fc1, 'zfs'],
    [0x794c7630, 'overlayfs'],
    [0x01021994, 'tmpfs (memory: a sync costs nothing, the figures flatter)'],
  ]);
  const { type } = statfsSync(folder);
  return names.get(type) ?? `file system 0x${type.toString(16)}`;
}
