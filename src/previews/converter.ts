// Converts one office document to PDF by the program that the operator configured (LibreOffice). The document is hostile: the program
// gets it on its standard input, a folder and a profile of its own that nothing else uses, no settings of ours, and limits of time,
// memory and size. The PDF comes back on its standard output. Macros are off in the profile, and so is whatever a document refers to.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareEnvironment, findIsolation, type Isolation, isolate } from './isolation.ts';
import type { OfficeType } from './office-type.ts';

export interface ConverterLimits {
  timeoutMs: number;
  /** Address space of each of its processes. */
  maxMemoryBytes: number;
  /** Of the PDF, and of each file that is written on the way. */
  maxOutputBytes: number;
}

export const defaultLimits: ConverterLimits = {
  timeoutMs: 60_000,
  maxMemoryBytes: 4 * 1024 ** 3,
  maxOutputBytes: 64 * 1024 ** 2,
};

/** `pdf` is null if none can be made of this document. `unavailable`: for reasons outside of it. */
export type Converted = { pdf: Buffer | null } | 'unavailable';

/** Blocks of POSIX shells for sizes of files. */
const blockBytes = 512;

/** What the configuration of LibreOffice says in the profile: no macros, no active content, nothing loaded from elsewhere. */
const profile = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
${[
  ['Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['Security/Scripting', 'MacroSecurityLevel', '3'],
  ['Security/Scripting', 'DisableActiveContent', 'true'],
  ['Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
]
  .map(([path, name, value]) => toItem(`/org.openoffice.Office.Common/${path}`, String(name), String(value)))
  .join('\n')}
${toItem('/org.openoffice.Office.Writer/Content/Update', 'Link', '2')}
${toItem('/org.openoffice.Office.Calc/Content/Update', 'Link', '1')}
</oor:items>`;

function toItem(path: string, name: string, value: string): string {
  return `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`;
}

/** A document is read as what its type says. LibreOffice would guess: HTML in a `.docx` would be a page with addresses to load. */
const filters: Readonly<Record<OfficeType, string>> = {
  docx: 'MS Word 2007 XML',
  xlsx: 'Calc MS Excel 2007 XML',
  pptx: 'Impress MS PowerPoint 2007 XML',
  odt: 'writer8',
  ods: 'calc8',
  odp: 'impress8',
};

/** Runs in a POSIX shell, within the isolation. Arguments: folder, type, converter, profile, filter. */
const script = ({ timeoutMs, maxMemoryBytes, maxOutputBytes }: ConverterLimits) => `
ulimit -c 0
ulimit -t ${Math.ceil(timeoutMs / 1000)}
ulimit -f ${Math.ceil(maxOutputBytes / blockBytes)}
ulimit -v ${Math.ceil(maxMemoryBytes / 1024)} 2>/dev/null
set -e
mkdir -p "$1/profile/user" "$1/out" "$1/tmp"
cd "$1"
cat > "document.$2"
printf %s "$4" > profile/user/registrymodifications.xcu
HOME="$1" TMPDIR="$1/tmp" SAL_USE_VCLPLUGIN=svp "$3" "-env:UserInstallation=file://$1/profile" --headless --norestore \\
  --nolockcheck --nodefault --nofirststartwizard "--infilter=$5" --convert-to pdf --outdir "$1/out" "$1/document.$2" </dev/null >/dev/null
cat out/document.pdf`;

export class Converter {
  readonly #program: string;
  readonly #limits: ConverterLimits;
  readonly #running = new Set<ChildProcess>();
  #isolation: Promise<Isolation> | null;
  #isClosed = false;

  /** `isolation` is for tests; without it, the best one that works is used. */
  constructor(program: string, limits = defaultLimits, isolation: Isolation | null = null) {
    this.#program = program;
    this.#limits = limits;
    this.#isolation = isolation === null ? null : Promise.resolve(isolation);
  }

  /** How the program is kept from everything else here. */
  findIsolation(): Promise<Isolation> {
    this.#isolation ??= findIsolation(this.#program);
    return this.#isolation;
  }

  /** Never rejects. */
  async convert(document: Uint8Array, type: OfficeType): Promise<Converted> {
    const isolation = await this.findIsolation();
    if (isolation === 'sandbox') return await this.#run(document, { isolation, folder: '/tmp/work', type });
    let folder: string;
    try {
      folder = await mkdtemp(join(tmpdir(), 'cabinet-preview-'));
    } catch {
      return 'unavailable';
    }
    try {
      return await this.#run(document, { isolation, folder, type });
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    }
  }

  async #run(
    document: Uint8Array,
    { isolation, folder, type }: { isolation: Isolation; folder: string; type: OfficeType },
  ): Promise<Converted> {
    if (this.#isClosed) return 'unavailable';
    const args = ['-c', script(this.#limits), 'sh', folder, type, this.#program, profile, filters[type]];
    const command = isolate(isolation, { program: 'sh', args }, this.#program);
    const child = spawn(command.program, command.args, {
      env: bareEnvironment,
      cwd: '/',
      stdio: ['pipe', 'pipe', 'ignore'],
      // A group of its own, which is ended as a whole.
      detached: true,
    });
    this.#running.add(child);
    try {
      return await this.#follow(child, document);
    } finally {
      this.#running.delete(child);
    }
  }

  async #follow(child: ChildProcess, document: Uint8Array): Promise<Converted> {
    const { maxOutputBytes, timeoutMs } = this.#limits;
    yieldProcessor(child.pid);
    const chunks: Buffer[] = [];
    let length = 0;
    child.stdout?.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxOutputBytes) endGroup(child);
      else chunks.push(chunk);
    });
    // Whoever ends early does not read to the end.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(document);
    const timer = setTimeout(() => endGroup(child), timeoutMs);
    const code = await toExitCode(child);
    clearTimeout(timer);
    // What it may have left behind.
    endGroup(child);
    if (code === 'unstarted' || this.#isClosed) return 'unavailable';
    const pdf = Buffer.concat(chunks);
    const isPdf = code === 0 && length <= maxOutputBytes && pdf.subarray(0, 5).equals(pdfStart);
    return { pdf: isPdf ? pdf : null };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const child of this.#running) endGroup(child);
  }
}

const pdfStart = Buffer.from('%PDF-');

/** Null: it was ended by a signal. */
function toExitCode(child: ChildProcess): Promise<number | null | 'unstarted'> {
  return new Promise((resolve) => {
    child.once('error', () => resolve('unstarted'));
    child.once('close', (code) => resolve(code));
    // A process that it left behind may hold the pipe open.
    child.once('exit', () => endGroup(child));
  });
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Requests come first. */
function yieldProcessor(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already.
  }
}
