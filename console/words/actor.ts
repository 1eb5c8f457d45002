// Who did something, for people: the service writes `app:NAME` for an application and `share:ID` for whoever uses a link.

import type { Words } from './en.ts';

export function showActor(actor: string, { files: { actors } }: Pick<Words, 'files'>): string {
  if (actor.startsWith('app:')) return actors.application(actor.slice('app:'.length));
  return actor.startsWith('share:') ? actors.guest : actor;
}
