// The address bar: where in the console one is, and how to get elsewhere. Everything that is seen can be told by its
// address: the page, the id, and parameters such as the order or what is looked at.

import { useSyncExternalStore } from 'react';

export const pages = ['files', 'search', 'trash', 'changes', 'manage'] as const;
export type Page = (typeof pages)[number];

export interface Place {
  page: Page;
  /** The folder, or the page among those for managing; null: the first. */
  id: string | null;
  /** What of it, where a page for managing shows one thing. */
  more: string | null;
  params: Readonly<Record<string, string>>;
}

const listeners = new Set<() => void>();
let current: { href: string; place: Place } | null = null;

export function toAddress({ page, id, more, params }: Place): string {
  const path = [page, id, more].filter((part) => part !== null && part !== undefined).map(encodeURIComponent);
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ''));
  return `/${path.join('/')}${query.size > 0 ? `?${query}` : ''}`;
}

export function readPlace(href: string): Place {
  const { pathname, searchParams } = new URL(href);
  const [page, id, more] = pathname.slice(1).split('/').map(decode);
  return {
    page: pages.find((known) => known === page) ?? 'files',
    id: id || null,
    more: more || null,
    params: Object.fromEntries(searchParams),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function here(): Place {
  const { href } = window.location;
  if (current?.href !== href) current = { href, place: readPlace(href) };
  return current.place;
}

export interface GoOptions {
  /** Then going back leads to where one was before. */
  isReplaced?: boolean;
}

export function go(place: Partial<Place> & { page: Page }, { isReplaced = false }: GoOptions = {}): void {
  goTo(toAddress({ id: null, more: null, params: {}, ...place }), { isReplaced });
}

export function goTo(address: string, { isReplaced = false }: GoOptions = {}): void {
  if (address === `${window.location.pathname}${window.location.search}`) return;
  if (isReplaced) window.history.replaceState(null, '', address);
  else window.history.pushState(null, '', address);
  for (const listener of listeners) listener();
}

/** Changes parameters of the address and leaves the rest; an empty one goes. */
export function setParams(changes: Record<string, string>, options: GoOptions = {}): void {
  const place = here();
  go({ ...place, params: { ...place.params, ...changes } }, options);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

export function usePlace(): Place {
  return useSyncExternalStore(subscribe, here);
}
