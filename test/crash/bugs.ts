// The mistakes that the suite must find: each breaks one rule of the write path by replacing exact texts of the sources, and
// names the part of the suite that must see it. `conditions` are not mistakes: they make rare moments frequent, and the
// same run without the mistake must find nothing.

import type { Replacement } from './seed-hook.ts';

export type Catcher = 'states' | 'kills' | 'faults' | 'aborts' | 'sweeps' | 'start';

export interface Bug {
  name: string;
  catcher: Catcher;
  mistake: Replacement[];
}

const blobs = 'src/blobs/local/local.ts';
const connection = 'src/catalog/sqlite/connection.ts';
const writer = 'src/catalog/sqlite/writer.ts';
const writeQueue = 'src/catalog/sqlite/write-queue.ts';
const sweep = 'src/jobs/sweep.ts';
const listener = 'src/listener/http-listener.ts';
const body = 'src/listener/body.ts';
const removal = 'src/catalog/verbs/removal.ts';

const normal = { module: connection, from: 'PRAGMA synchronous = FULL;', to: 'PRAGMA synchronous = NORMAL;' };
const blobSync = 'await syncFile(handle);\n      } finally';

/** The sweeper comes by all the time and finds everything old enough, and records come long after their blobs. */
export const busySweeper: Replacement[] = [
  { module: sweep, from: 'const sweepEveryMs = 60 * 60 * 1000;', to: 'const sweepEveryMs = 60;' },
  { module: sweep, from: 'const sweepAfterMs = 24 * 60 * 60 * 1000;', to: 'const sweepAfterMs = -1000;' },
  {
    module: 'src/operations/receive-content.ts',
    from: '    const { sha256, checksums } = await digest.finish();',
    to: '  await new Promise((resolve) => setTimeout(resolve, 1000)); const { sha256, checksums } = await digest.finish();',
  },
];

export const bugs: Bug[] = [
  { name: 'synchronous=NORMAL', catcher: 'start', mistake: [normal] },
  {
    name: 'synchronous=NORMAL, and believed to be FULL',
    catcher: 'states',
    mistake: [normal, { module: writer, from: `'synchronous', 2)`, to: `'synchronous', 1)` }],
  },
  {
    name: 'answer before COMMIT',
    catcher: 'states',
    mistake: [
      {
        module: writer,
        from: `this.#connection.all('COMMIT');`,
        to: `parentPort?.postMessage({ outcomes: JSON.stringify(outcomes), number: 0 }); this.#connection.all('COMMIT');`,
      },
      {
        module: writer,
        from: 'if (report.length > 0) sender.postMessage({ outcomes: JSON.stringify(report), number } satisfies FromWriter);',
        to: 'void report;',
      },
    ],
  },
  {
    name: 'COMMIT before the sync of the blob',
    catcher: 'states',
    mistake: [
      {
        module: blobs,
        from: blobSync,
        to: `setTimeout(() => void open(path, 'r').then(async (later) => { await later.datasync(); await later.close(); }).catch(() => 0), 60);\n      } finally`,
      },
    ],
  },
  {
    name: 'no sync of the folder after the rename',
    catcher: 'states',
    mistake: [{ module: blobs, from: 'await syncFolder(join(this.#blobs, id.slice(0, 2)));', to: '' }],
  },
  {
    name: 'short write ignored',
    catcher: 'faults',
    mistake: [
      {
        module: 'src/blobs/local/append.ts',
        from: 'left = dropBytes(left, bytesWritten);',
        to: 'left = dropBytes(left, 2 ** 40);',
      },
    ],
  },
  {
    name: 'sync error swallowed',
    catcher: 'faults',
    mistake: [
      { module: blobs, from: blobSync, to: 'await handle.datasync().catch(() => undefined);\n      } finally' },
    ],
  },
  {
    name: 'sync tried again and believed',
    catcher: 'faults',
    mistake: [
      {
        module: blobs,
        from: blobSync,
        to: 'await handle.datasync().catch(() => syncFile(handle));\n      } finally',
      },
    ],
  },
  {
    name: 'sweeper removes between rename and COMMIT',
    catcher: 'sweeps',
    mistake: [{ module: sweep, from: 'blobs.filter((blob) => !leases.has(blob))', to: 'blobs.filter(() => true)' }],
  },
  {
    name: 'aborted upload counted as whole',
    catcher: 'aborts',
    mistake: [
      {
        module: body,
        from: 'if (!this.#isEnded) this.#stop(new Aborted());',
        to: 'this.#isEnded = true; this.#stop(null);',
      },
      {
        module: body,
        from: `request.on('error', () => this.#stop(new Aborted()));`,
        to: `request.on('error', () => 0);`,
      },
    ],
  },
  {
    name: 'draining skips the last batch',
    catcher: 'kills',
    mistake: [
      { module: listener, from: '    await closed;\n', to: '    void closed; this.server.closeAllConnections();\n' },
      {
        module: writeQueue,
        from: 'if (!this.#isIdle) {',
        to: 'if (Date.now() === 0) {',
      },
    ],
  },
  {
    name: 'recovery deletes what a record points to',
    catcher: 'kills',
    mistake: [
      {
        module: blobs,
        from: 'await syncFolder(blobs);\n',
        to: `for (const shard of present) for (const name of await readdir(join(blobs, shard))) if (Date.now() - (await stat(join(blobs, shard, name))).mtimeMs < 60_000) await unlink(join(blobs, shard, name));\n  await syncFolder(blobs);\n`,
      },
    ],
  },
  {
    name: 'duplicate content swept while another save refers to it',
    catcher: 'faults',
    mistake: [
      {
        module: removal,
        from: `if (other !== undefined) return null;\n  const [released]`,
        to: `if (other !== undefined) return ((yield* row<{ blob: string | null }>(sql\`SELECT blob FROM contents WHERE content = \${content}\`))?.blob ?? null);\n  const [released]`,
      },
    ],
  },
];
