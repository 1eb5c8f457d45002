// Where a run happens: a folder of its own, and the service in it, watched by the shim or not.

import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Caller, fetchToken } from '../interface/client.ts';
import { addCaller, type Environment, type Started, startService } from '../service/service.ts';
import { checkHeld, type Held, type Problem } from './checker.ts';
import { buildShim, Control } from './shim.ts';

export interface Watching {
  shim: string;
  control: Control;
  /** Where file effects are written down; null: nowhere. */
  log: string | null;
}

export interface Ground {
  folder: string;
  dataFolder: string;
  /** Null: the shim cannot be had here. */
  watching: Watching | null;
  /** A module that is loaded before the service; null: none. */
  preload: Preload | null;
  close(): void;
}

export interface Preload {
  path: string;
  /** Its input, passed in an environment variable. */
  variable: string;
}

/** How soon it is ready is measured and printed, not judged: it is started hundreds of times, on whatever machine. */
const readyWithinMs = 300_000;

let built: string | null | undefined;
let scratch: string | null = null;

/** For what all runs of this process share. */
function findScratch(): string {
  if (scratch === null) {
    const made = mkdtempSync(join(tmpdir(), 'cabinet-shim-'));
    process.on('exit', () => rmSync(made, { recursive: true, force: true }));
    scratch = made;
  }
  return scratch;
}

/** Built once. */
function findShim(): string | null {
  if (built === undefined) built = buildShim(findScratch());
  return built;
}

export interface GroundOptions {
  isWatched: boolean;
  isLogged?: boolean;
  preload?: Preload | null;
}

export function openGround({ isWatched, isLogged = false, preload = null }: GroundOptions): Ground {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cabinet-crash-')));
  const shim = isWatched ? findShim() : null;
  const control = shim === null ? null : new Control(join(folder, 'control'));
  return {
    folder,
    dataFolder: join(folder, 'data'),
    watching:
      shim === null || control === null ? null : { shim, control, log: isLogged ? join(folder, 'effects') : null },
    preload,
    close() {
      control?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startOn(ground: Ground, environment: Environment = {}): Promise<Started> {
  const { watching, preload, dataFolder } = ground;
  // It is started hundreds of times: half of what that takes is reading its sources.
  const variables = [`NODE_COMPILE_CACHE=${join(findScratch(), 'compiled')}`];
  if (watching !== null) {
    variables.push(`LD_PRELOAD=${watching.shim}`, `CRASH_ROOT=${dataFolder}`, `CRASH_CONTROL=${watching.control.path}`);
    if (watching.log !== null) variables.push(`CRASH_LOG=${watching.log}`);
  }
  if (preload !== null) variables.push(`NODE_OPTIONS=--import=${preload.path}`, `CRASH_SEED=${preload.variable}`);
  return await startService(dataFolder, {
    under: ['env', ...variables],
    readyWithinMs,
    environment: { CABINET_LOG_LEVEL: 'silent', ...environment },
  });
}

/** The caller of a ground: made at the first start, with a new token at each later one. */
export async function renew(ground: Ground, base: string, earlier: Caller | null): Promise<Caller> {
  if (earlier === null) return await addCaller(ground.dataFolder, base, 'crash');
  return { ...earlier, base, token: await fetchToken(base, earlier.application) };
}

/** Checks the data folder of a service that has stopped. */
export function checkStopped(ground: Ground, held: Omit<Held, 'catalogPath' | 'digestOfBlob' | 'readFile'>): Problem[] {
  const folder = join(ground.dataFolder, 'production');
  return checkHeld({
    ...held,
    catalogPath: join(folder, 'catalog.db'),
    readFile: (path) => readOrNull(join(folder, path)),
    digestOfBlob: (blob) => digestOfFile(join(folder, 'blobs', blob.slice(0, 2), blob)),
  });
}

function digestOfFile(path: string): string | null {
  const bytes = readOrNull(path);
  return bytes === null ? null : hash('sha256', bytes);
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}
