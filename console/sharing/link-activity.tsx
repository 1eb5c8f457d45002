// How a link was used, from the audit trail: opened, downloaded, received, when and from which address. For managers of the space.

import { auditPage, type Event, type ShareFields, showEntry } from '@cabinet/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { codeOf } from '../parts/error-text.ts';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatTime } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { useSharingWords } from './use-sharing-words.ts';
import './sharing.css';

const pageEvents = 50;

export function LinkActivity({ link, onClose }: { link: ShareFields; onClose(): void }) {
  const { files } = useWords();
  const { links: words } = useSharingWords();
  const { space, cabinet } = useSession();
  const by = `share:${link.Id}`;
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['link-activity', space.Id, link.Id],
    staleTime: 0,
    queryFn: ({ pageParam, signal }) => auditPage(cabinet, { by }, { limit: pageEvents, cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  // A save by a link is in the journal twice: as a save, and as a use of the link.
  const events = data?.pages.flatMap(({ Events }) => Events).filter(({ Action }) => Action.startsWith('share.'));
  return (
    <Dialog title={words.activityTitle(link.Name)} onClose={onClose}>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {events === undefined && error === null && <Skeleton rows={5} label={files.loading} />}
      {events?.length === 0 && !hasNextPage && <p className="share-note">{words.activityNone}</p>}
      <ul className="share-lines">
        {events?.map((event) => (
          <Use key={event.Position} event={event} />
        ))}
      </ul>
      {hasNextPage && (
        <Button isDisabled={isFetchingNextPage} onPress={() => void fetchNextPage()}>
          {words.more}
        </Button>
      )}
    </Dialog>
  );
}

function Use({ event: { At, Action, EntryId, Details } }: { event: Event }) {
  const { locale } = useWords();
  const { links: words } = useSharingWords();
  const { Address } = Details;
  return (
    <li className="share-line">
      <div>
        <strong>{words.actionsDone[Action] ?? Action}</strong> <EntryName id={EntryId} />
        <p>
          <time dateTime={At}>{formatTime(At, locale)}</time>
          {typeof Address === 'string' && ` · ${words.from(Address)}`}
        </p>
      </div>
    </li>
  );
}

/** The name that the entry has now. */
function EntryName({ id }: { id: string }) {
  const { cabinet } = useSession();
  const { links: words } = useSharingWords();
  const { data, error } = useQuery({
    queryKey: ['entry', id],
    queryFn: ({ signal }) => showEntry(cabinet, id, { signal }),
  });
  if (codeOf(error) === 'EntryNotFound') return words.removed;
  return data === undefined ? null : <bdi>{data.Entry.Name}</bdi>;
}
