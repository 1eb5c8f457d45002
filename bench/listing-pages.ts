// The addresses of a folder's pages: the first, some in the middle and the last, for each limit. Cursors are the service's own, so
// the folder is walked once from end to end, which also checks that every entry is listed in order.

import { type Client, readNextLink } from './client.ts';
import type { Folder } from './listing.ts';

export const orders = ['name', '-name', 'modified', '-modified', 'size', '-size'] as const;
export type Order = (typeof orders)[number];

export const limits = [100, 1000] as const;
export const places = ['first', 'middle', 'last'] as const;

/** By limit. */
export type Pages = Record<(typeof places)[number], Record<number, string[]>>;

type Child = { Id: string; Name: string; ModifiedAt: string; Size: number };

const [shortLimit, longLimit] = limits;

export async function findPages(client: Client, folder: Folder, order: Order): Promise<Pages> {
  const starts = await walk(client, folder, order);
  const inside = starts.slice(Math.floor(starts.length * 0.1), Math.ceil(starts.length * 0.9));
  const first = toUrl(folder, order);
  const tail = await findTail(client, withLimit(starts.at(-1) as string, shortLimit));
  // Where all fits one long page, that is the middle and the end as well; its short pages are those on the way to the last.
  const middle = starts.length > 2 ? inside : tail.slice(1, -1);
  const toLimit = (urls: string[], limit: number) => urls.map((url) => withLimit(url, limit));
  return {
    first: { [shortLimit]: toLimit([first], shortLimit), [longLimit]: [starts[0] as string] },
    middle: {
      [shortLimit]: toLimit(middle, shortLimit),
      [longLimit]: starts.length > 2 ? inside : [starts[0] as string],
    },
    last: { [shortLimit]: [tail.at(-1) as string], [longLimit]: [starts.at(-1) as string] },
  };
}

/** Where each long page begins. */
async function walk(client: Client, folder: Folder, order: Order): Promise<string[]> {
  const starts: string[] = [];
  let count = 0;
  let last: Child | null = null;
  for (let next: string | null = withLimit(toUrl(folder, order), longLimit); next !== null; ) {
    starts.push(next);
    const { body, headers } = await client.ask(next);
    for (const child of (JSON.parse(body.toString()) as { Children: Child[] }).Children) {
      if (last !== null && compare(last, child, order) >= 0)
        throw new Error(`by ${order}, ${child.Name} comes after ${last.Name}`);
      last = child;
      count += 1;
    }
    next = readNextLink(headers);
  }
  if (count !== folder.count) throw new Error(`by ${order}, ${count} entries are listed, ${folder.count} are there`);
  return starts;
}

/** The short pages from here to the end. */
async function findTail(client: Client, start: string): Promise<string[]> {
  const found: string[] = [];
  for (let next: string | null = start; next !== null; ) {
    found.push(next);
    next = readNextLink((await client.ask(next)).headers);
  }
  return found;
}

function compare(a: Child, b: Child, order: Order): number {
  const sign = order.startsWith('-') ? -1 : 1;
  if (order.endsWith('name')) return sign * compareValues(a.Name, b.Name);
  const by = order.endsWith('size') ? compareValues(a.Size, b.Size) : compareValues(a.ModifiedAt, b.ModifiedAt);
  return sign * (by === 0 ? compareValues(a.Id, b.Id) : by);
}

function compareValues<Value extends string | number>(a: Value, b: Value): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function toUrl({ id }: Folder, order: Order): string {
  return `/folders/${id}?order=${order}`;
}

function withLimit(url: string, limit: number): string {
  const [path, query] = url.split('?') as [string, string];
  const parameters = new URLSearchParams(query);
  parameters.set('limit', String(limit));
  return `${path}?${parameters}`;
}
