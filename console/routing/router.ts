// Routing: the current route and navigation. Everything on screen is in the address: the page, the id, and parameters such as the
// order or the selected entry.

import { useSyncExternalStore } from 'react';
import { basePath, readOwnPath } from './base-path.ts';

export const pages = [
  'files',
  'shared',
  'links',
  'search',
  'starred',
  'recent',
  'trash',
  'changes',
  'manage',
  'account',
] as const;
export type Page = (typeof pages)[number];

export interface Route {
  page: Page | 'unknown';
  /** The folder, or the admin page; null for the first. */
  id: string | null;
  /** The item that an admin page shows. */
  more: string | null;
  params: Readonly<Record<string, string>>;
}

const listeners = new Set<() => void>();
let current: { href: string; route: Route } | null = null;

export function toAddress({ page, id, more, params }: Route): string {
  const path = [page, id, more].filter((part) => part !== null && part !== undefined).map(encodeURIComponent);
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ''));
  return `${basePath}/${path.join('/')}${query.size > 0 ? `?${query}` : ''}`;
}

function readRoute(href: string): Route {
  const url = new URL(href);
  const [page, id, more] = readOwnPath(url).slice(1).split('/').map(decode);
  return {
    page: page === '' ? 'files' : (pages.find((known) => known === page) ?? 'unknown'),
    id: id || null,
    more: more || null,
    params: Object.fromEntries(url.searchParams),
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function currentRoute(): Route {
  const { href } = window.location;
  if (current?.href !== href) current = { href, route: readRoute(href) };
  return current.route;
}

interface GoOptions {
  /** Replaces the history entry instead of adding one. */
  isReplaced?: boolean;
}

export function go(route: Partial<Route> & { page: Page }, { isReplaced = false }: GoOptions = {}): void {
  goTo(toAddress({ id: null, more: null, params: {}, ...route }), { isReplaced });
}

export function goTo(address: string, { isReplaced = false }: GoOptions = {}): void {
  if (address === `${window.location.pathname}${window.location.search}`) return;
  if (isReplaced) window.history.replaceState(null, '', address);
  else window.history.pushState(null, '', address);
  for (const listener of listeners) listener();
}

/** Changes parameters of the address; an empty one is removed. */
export function setParams(changes: Record<string, string>, options: GoOptions = {}): void {
  const route = currentRoute();
  if (route.page !== 'unknown') go({ ...route, page: route.page, params: { ...route.params, ...changes } }, options);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, currentRoute);
}
