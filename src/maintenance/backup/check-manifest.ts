// Checks a manifest that was read from a backup. A backup comes from another disk or another machine, so it is hostile until it
// is checked: every path in it must be one that a backup of this format can have, and is never made from anything else.

import { environmentNames } from '../../domain/environment-name.ts';
import { type BackedUpEnvironment, type BackedUpFile, BackupError, type Manifest } from './manifest.ts';

const snapshotPattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z$/;
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** What is new in each backup, below the snapshot. */
const snapshotFile =
  /^(catalog\.db|keys\.json|journal-keys\/\d{1,9}-[0-9a-f]{8}\.json|certificates\/[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.pem)$/;
/** What all backups into the folder share, below the environment. */
const sharedFile = /^journal\/\d{1,15}-\d{1,15}\.jsonl\.gz$/;
const configurationFile = /^configuration\/[^/\p{Cc}]{1,255}$/u;

/** Refuses what a backup of this format cannot be. */
export function checkManifest(manifest: Manifest): Manifest {
  const { MadeAt, Environments, Configuration } = manifest;
  require(typeof MadeAt === 'string' && timePattern.test(MadeAt), 'MadeAt is no time');
  require(Array.isArray(Environments) && Environments.length > 0, 'it names no environment');
  require(Array.isArray(Configuration), 'Configuration is no list');
  const names = Environments.map((environment) => checkEnvironment(environment));
  require(new Set(names).size === names.length, 'an environment is named twice');
  for (const file of Configuration) {
    checkFile(file);
    const isName = configurationFile.test(file.Path) && !/^configuration\/\.\.?$/.test(file.Path);
    require(isName && file.To === null, `${show(file.Path)} is no file of a configuration`);
  }
  const paths = [...Configuration, ...Environments.flatMap(({ Files }) => Files)].map(({ Path }) => Path);
  require(new Set(paths).size === paths.length, 'a file is named twice');
  return manifest;
}

function checkEnvironment(environment: BackedUpEnvironment): string {
  require(isObject(environment), 'an environment is no object');
  const { Name, Snapshot, Files, Contents, Bytes } = environment;
  require((environmentNames as readonly unknown[]).includes(Name), `there is no environment ${show(Name)}`);
  require(typeof Snapshot === 'string' && snapshotPattern.test(Snapshot), `${show(Snapshot)} is no snapshot`);
  require(isCount(Contents) && isCount(Bytes), 'Contents or Bytes is no number');
  require(Array.isArray(Files), 'Files is no list');
  for (const file of Files) {
    checkFile(file);
    const to = whereItBelongs(environment, file.Path);
    require(to !== null && file.To === to, `${show(file.Path)} cannot belong to ${show(file.To)}`);
  }
  require(Files.some(({ To }) => To === `${Name}/catalog.db`), `${Name} has no catalog.db`);
  return Name;
}

/** The only place below the data folder where a file of the backup can belong; null: a backup has no such file. */
function whereItBelongs({ Name, Snapshot }: BackedUpEnvironment, path: string): string | null {
  const inSnapshot = path.startsWith(`${Name}/${Snapshot}/`) ? path.slice(Name.length + Snapshot.length + 2) : '';
  if (snapshotFile.test(inSnapshot)) return `${Name}/${inSnapshot}`;
  const shared = path.startsWith(`${Name}/`) ? path.slice(Name.length + 1) : '';
  return sharedFile.test(shared) ? path : null;
}

function checkFile(file: BackedUpFile): void {
  const isFile = isObject(file) && typeof file.Path === 'string' && isCount(file.Size);
  require(isFile && /^[0-9a-f]{64}$/.test(String(file.Sha256)), 'a file has no path, size or SHA-256');
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function show(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 200);
}

function require(condition: boolean, problem: string): asserts condition {
  if (condition) return;
  throw new BackupError(
    `The manifest is not one that a backup of Cabinet can have: ${problem}. Somebody changed it: do not restore this backup.`,
  );
}
