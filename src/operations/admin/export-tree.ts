// Exports a space as plain files with their names and times, and a sidecar with the other metadata: one line of JSON per entry.
// Contents are verified as they are read. Files that cannot be written are reported, and the export continues.

import { hash } from 'node:crypto';
import { mkdir, open, rm, utimes } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FolderCursor } from '../../catalog/verbs/children-page.ts';
import type { SpaceAccess } from '../../domain/caller.ts';
import type { Entry } from '../../domain/entry.ts';
import { syncFile } from '../../runtime/durable-file.ts';
import type { Cabinet } from '../cabinet.ts';
import { toOpenedFile } from '../open-file.ts';

const pageLimit = 200;
/** The limit of common file systems. */
const maxNameBytes = 255;
const maxExtensionBytes = 20;
const maxListed = 1000;

interface ExportRequest {
  access: SpaceAccess;
  /** An absolute path that does not exist yet. */
  directory: string;
  /** The file for the metadata; it does not exist yet. */
  sidecar: string;
  onProgress(report: ExportReport): void;
  signal: AbortSignal;
}

export interface ExportReport {
  folders: number;
  files: number;
  bytes: number;
  skipped: { path: string; problem: string }[];
  skippedCount: number;
}

export function emptyExport(): ExportReport {
  return { folders: 0, files: 0, bytes: 0, skipped: [], skippedCount: 0 };
}

/** Updates the report as it goes. */
export async function exportTree(cabinet: Cabinet, request: ExportRequest, report: ExportReport): Promise<void> {
  await mkdir(request.directory, { recursive: true, mode: 0o700 });
  const sidecar = await open(request.sidecar, 'wx', 0o600);
  try {
    const tree = new Tree(cabinet, request, report, (line) => sidecar.appendFile(`${JSON.stringify(line)}\n`));
    await tree.folder(request.access.rootId, { path: '', directory: request.directory });
    await syncFile(sidecar);
  } finally {
    await sidecar.close();
  }
}

interface Location {
  /** The path in the space; empty for the root. */
  path: string;
  directory: string;
}

class Tree {
  readonly #cabinet: Cabinet;
  readonly #request: ExportRequest;
  readonly #report: ExportReport;
  readonly #writeLine: (line: object) => Promise<void>;

  constructor(
    cabinet: Cabinet,
    request: ExportRequest,
    report: ExportReport,
    writeLine: (line: object) => Promise<void>,
  ) {
    this.#cabinet = cabinet;
    this.#request = request;
    this.#report = report;
    this.#writeLine = writeLine;
  }

  async folder(id: string, location: Location): Promise<void> {
    let after: FolderCursor | null = null;
    do {
      const params = { space: this.#request.access.space, folder: id, order: 'name' as const, limit: pageLimit };
      const page = await this.#cabinet.catalog.listFolder(after === null ? params : { ...params, after });
      // The folder was removed meanwhile.
      if (page === null) return;
      for (const child of page.children) await this.#child(child, location);
      after = page.next;
    } while (after !== null);
  }

  async #child(child: Entry, location: Location): Promise<void> {
    this.#request.signal.throwIfAborted();
    const path = `${location.path}/${child.name}`;
    const to = join(location.directory, toSafeName(child.name));
    try {
      if (child.kind === 'file') await this.#file(child, path, to);
      else {
        await mkdir(to, { mode: 0o700 });
        await this.#writeLine(toLine(child, { path, file: this.#relative(to) }));
        this.#report.folders += 1;
        await this.folder(child.id, { path, directory: to });
      }
      await utimes(to, new Date(), new Date(child.modifiedAt)).catch(() => undefined);
    } catch (error) {
      this.#request.signal.throwIfAborted();
      this.#skip(path, error as NodeJS.ErrnoException);
    }
    this.#request.onProgress(this.#report);
  }

  #relative(path: string): string {
    return path.slice(this.#request.directory.length + 1);
  }

  async #file(entry: Entry, path: string, to: string): Promise<void> {
    const content = await this.#cabinet.catalog.findContent({
      space: this.#request.access.space,
      id: entry.id,
      version: null,
    });
    if (content === null) return;
    const file = await open(to, 'wx', 0o600);
    const chunks = toOpenedFile(this.#cabinet, content).read({ start: 0, end: content.sizeBytes });
    try {
      for await (const chunk of chunks) await file.appendFile(chunk);
    } catch (error) {
      // A partial file must not pass for a whole one.
      await rm(to, { force: true });
      throw error;
    } finally {
      await chunks.return?.();
      await file.close();
    }
    const sha256 = Buffer.from(content.sha256).toString('hex');
    await this.#writeLine({
      ...toLine(entry, { path, file: this.#relative(to) }),
      Version: content.version,
      Sha256: sha256,
    });
    this.#report.files += 1;
    this.#report.bytes += content.sizeBytes;
  }

  #skip(path: string, { code, message }: NodeJS.ErrnoException): void {
    if (code === 'ENOSPC') throw new Error('There is no space left for the export.');
    this.#report.skippedCount += 1;
    const problem = code === 'ENAMETOOLONG' ? 'The path is too long for the file system.' : message;
    if (this.#report.skipped.length < maxListed) this.#report.skipped.push({ path, problem });
  }
}

function toLine(entry: Entry, { path, file }: { path: string; file: string }): object {
  return {
    Path: path,
    File: file,
    Id: entry.id,
    Type: entry.kind,
    ObjectType: entry.objectType,
    ContentType: entry.contentType,
    CreatedAt: new Date(entry.createdAt).toISOString(),
    CreatedBy: entry.createdBy,
    ModifiedAt: new Date(entry.modifiedAt).toISOString(),
    ModifiedBy: entry.modifiedBy,
    Size: entry.sizeBytes,
    Properties: entry.properties,
  };
}

/** Names of entries have neither slashes nor control characters and are not `.` or `..`, but may be longer than a file system
 *  allows. The sidecar has the full name. */
export function toSafeName(name: string): string {
  const safe = name.replaceAll(/[/\0]/g, '_').replace(/^\.{1,2}$/, '_');
  if (Buffer.byteLength(safe) <= maxNameBytes) return safe;
  const extension = Buffer.byteLength(extname(safe)) <= maxExtensionBytes ? extname(safe) : '';
  const mark = `~${hash('sha256', name).slice(0, 12)}${extension}`;
  let kept = '';
  for (const character of safe) {
    if (Buffer.byteLength(kept + character) + Buffer.byteLength(mark) > maxNameBytes) break;
    kept += character;
  }
  return kept + mark;
}
