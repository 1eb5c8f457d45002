// The steps that are applied to a tree, and how the end of each is detected.

import { DatabaseSync } from 'node:sqlite';
import type { Client } from './client.ts';
import { sleep } from './scenario.ts';

export type Tree = { id: string; name: string; entries: number };

/** Milliseconds since 1970: when the step began, when it was done, and until when saves are counted to it. */
export type Phase = {
  name: string;
  tree: string;
  from: number;
  until: number;
  to: number;
  /** What the rest of the machine used of its cores meanwhile. */
  othersPercent: number | null;
};

type Details = { Entry: { Id: string; Name: string; Size: number } };

const lookEveryMs = 100;

/** Reads the catalog beside the service: HTTP does not show rows of removed trees. */
export class CatalogView {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  }

  countEntries(): number {
    return this.#count('SELECT count(*) AS count FROM entries');
  }

  async untilPurged(): Promise<void> {
    while (this.#count(`SELECT count(*) AS count FROM hidden_trees WHERE purpose = 'purge'`) > 0)
      await sleep(lookEveryMs);
  }

  #count(sql: string): number {
    return (this.#database.prepare(sql).get() as { count: number }).count;
  }

  close(): void {
    this.#database.close();
  }
}

type Stage = { client: Client; view: CatalogView; tree: Tree; destination: string };

export function treePhases({ client, view, tree, destination }: Stage): [string, () => Promise<unknown>][] {
  let copy = '';
  const purge = async (id: string) => {
    await client.ask(`/entries/${id}?permanent=true`, { method: 'DELETE' });
    await view.untilPurged();
  };
  return [
    [
      'copy',
      async () => {
        const json = { ParentFolderId: '-root-', Name: 'copy' };
        const copied = await client.json<Details>(`/entries/${tree.id}/copy`, { method: 'POST', json });
        const source = await client.json<Details>(`/entries/${tree.id}`);
        if (copied.Entry.Size !== source.Entry.Size) throw new Error('the copy has another size than what was copied');
        copy = copied.Entry.Id;
      },
    ],
    ['rename', () => client.json(`/entries/${copy}`, { method: 'PATCH', json: { Name: 'renamed' } })],
    ['move', () => client.json(`/entries/${copy}`, { method: 'PATCH', json: { ParentFolderId: destination } })],
    ['trash', () => client.ask(`/entries/${copy}`, { method: 'DELETE' })],
    ['restore', () => client.ask(`/entries/${copy}/restore`, { method: 'POST' })],
    ['trash again', () => client.ask(`/entries/${copy}`, { method: 'DELETE' })],
    ['purge the copy', () => purge(copy)],
    ['purge the tree', () => purge(tree.id)],
  ];
}
