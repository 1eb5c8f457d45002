// Audit events as a table. On a phone each row is a card, but stays a table row for screen readers.

import { type Event, showEntry } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '../routing/link.tsx';
import { setParams } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { formatNumber, formatSize, formatTime } from '../words/format.ts';
import { useLocale, useManageWords } from './use-manage-words.ts';

export function AuditEvents({ events }: { events: readonly Event[] }) {
  const words = useManageWords();
  const { when, by, what, about } = words.audit;
  /** Not every event has the name; another one of the same entry may. */
  const named = events.filter(({ Details }) => nameOf(Details) !== null);
  const names = new Map(named.map(({ EntryId, Details }) => [EntryId, nameOf(Details)]));
  return (
    <table className="audit">
      <caption className="unseen">{words.pages.audit}</caption>
      <thead>
        <tr>
          {[when, what, by, about].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {events.map((event) => (
          <EventRow
            key={event.Position}
            event={event}
            name={nameOf(event.Details) ?? names.get(event.EntryId) ?? null}
          />
        ))}
      </tbody>
    </table>
  );
}

function EventRow({ event, name }: { event: Event; name: string | null }) {
  const { At, By, Application, Action, EntryId, Details } = event;
  const words = useManageWords().audit;
  const locale = useLocale();
  return (
    <tr>
      <td className="audit-when">
        <time dateTime={At}>{formatTime(At, locale)}</time>
      </td>
      <td className="audit-what">{words.actions[Action] ?? Action}</td>
      <td className="audit-by">
        <bdi>{By}</bdi>
        {Application !== undefined && (
          <small>
            <bdi>{Application}</bdi>
          </small>
        )}
      </td>
      <td className="audit-about">
        <About
          id={EntryId}
          name={name}
          isEntry={/^(file|folder|entry|version|share|access)\./.test(Action) && Action !== 'entry.removed'}
        />
        <small>{toText(Details, words.detailNames, locale)}</small>
      </td>
    </tr>
  );
}

function About({ id, name, isEntry }: { id: string; name: string | null; isEntry: boolean }) {
  const params = useSpaceParams();
  if (id === '') return <bdi>{name}</bdi>;
  if (id.startsWith('ak_')) {
    return <Link to={{ page: 'manage', id: 'applications', more: id, params }}>{name ?? id}</Link>;
  }
  return (
    <button type="button" className="audit-entry" onClick={() => setParams({ entry: id })}>
      <bdi>{name ?? (isEntry ? <KnownName id={id} /> : id)}</bdi>
    </button>
  );
}

/** The name that an entry has now, or its id if it is gone. */
function KnownName({ id }: { id: string }) {
  const { cabinet } = useSession();
  const { data } = useQuery({
    queryKey: ['entry', id],
    queryFn: ({ signal }) => showEntry(cabinet, id, { signal }),
  });
  return data?.Entry.Name ?? id;
}

function nameOf({ Name }: Event['Details']): string | null {
  return typeof Name === 'string' && Name !== '' ? Name : null;
}

/** What else is known of it; where it lies is an id, which says nothing to people. */
function toText(details: Event['Details'], names: Record<string, string>, locale: string): string {
  return Object.entries(details)
    .filter(([name, value]) => !['Name', 'Parent', 'Source', 'Thumbprint', 'Share'].includes(name) && value !== null)
    .map(([name, value]) => `${names[name] ?? name}: ${toShown(name, value, locale)}`)
    .join(' · ');
}

function toShown(name: string, value: unknown, locale: string): string {
  if (typeof value !== 'number') return typeof value === 'object' ? JSON.stringify(value) : String(value);
  return name === 'Size' || name === 'Bytes' ? formatSize(value, locale) : formatNumber(value, locale);
}
