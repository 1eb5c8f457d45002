// Which of the writes that wait run in one transaction.

import { sharing } from './locks.ts';

const mostTogether = 128;
const mostBatchBytes = 4 * 1024 * 1024;

export interface Waiting {
  name: string;
  input: unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** The next verb that waits; if it is a save, with all others that can run in step with it. Those that want what another
 *  one of the batch wants stay for the next. */
export function takeBatch(waiting: Waiting[]): Waiting[] {
  const [first] = waiting;
  if (first === undefined || !sharing.has(first.name)) return waiting.splice(0, 1);
  const batch: Waiting[] = [];
  const taken = new Set<string>();
  let bytes = 0;
  for (let at = 0; at < waiting.length && batch.length < mostTogether && bytes < mostBatchBytes; ) {
    const item = waiting[at] as Waiting;
    const keys = sharing.has(item.name) ? toKeys(item) : null;
    if (keys === null || keys.some((key) => taken.has(key))) {
      at += 1;
      continue;
    }
    for (const key of keys) taken.add(key);
    bytes += (item.input as { content?: { bytes?: Uint8Array | null } }).content?.bytes?.byteLength ?? 0;
    batch.push(item);
    waiting.splice(at, 1);
  }
  // The same order in every batch, so that no two wait for each other's rows.
  return batch.sort((a, b) => (toKeys(a)[0] ?? '').localeCompare(toKeys(b)[0] ?? ''));
}

interface Wanting {
  space: number;
  folder?: string;
  parent?: string;
  nameKey?: string;
  way?: readonly { nameKey: string }[];
  file?: string;
  content?: { blob: string | null; sha256: Uint8Array };
  idempotency?: { appKey: string; operation: string; key: string } | null;
}

/** How many entries a batch makes at most. */
export function countEntries(batch: readonly Waiting[]): number {
  return batch.reduce((count, { input }) => count + 1 + ((input as Wanting).way?.length ?? 0), 0);
}

/** What no two verbs of a batch may want: a name in a folder, a file, the same large bytes, an Idempotency-Key. */
function toKeys({ input }: Waiting): string[] {
  const { space, folder, parent, nameKey, way, file, content, idempotency } = input as Wanting;
  const keys: string[] = [];
  // With folders on the way, the first of them is what is wanted where it begins.
  if (nameKey !== undefined) keys.push(`${space} name ${folder ?? parent} ${way?.[0]?.nameKey ?? nameKey}`);
  if (file !== undefined) keys.push(`${space} file ${file}`);
  if (content !== undefined && content.blob !== null) keys.push(`bytes ${Buffer.from(content.sha256).toString('hex')}`);
  if (idempotency) keys.push(`key ${idempotency.appKey} ${idempotency.operation} ${idempotency.key}`);
  return keys;
}
