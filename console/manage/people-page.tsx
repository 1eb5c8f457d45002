// The members of a space and their roles.

import { type User, usersPage } from '@cabinet/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { AddPerson } from './add-person.tsx';
import { PageHead } from './page-head.tsx';
import { PersonLine } from './person-line.tsx';
import { useManageWords } from './use-manage-words.ts';

export function PeoplePage() {
  const words = useManageWords();
  const { space, cabinet } = useSession();
  const [isAdding, setAdding] = useState(false);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['manage', space.Id, 'people'],
    queryFn: ({ pageParam, signal }) => usersPage(cabinet, { cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const people: readonly User[] | undefined = data?.pages.flatMap(({ Users }) => Users);
  const add = (
    <Button look="main" icon="plus" onPress={() => setAdding(true)}>
      {words.people.add}
    </Button>
  );
  return (
    <>
      <PageHead title={words.title(words.pages.people, space.Name)} lead={words.people.lead}>
        {add}
      </PageHead>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {people === undefined && error === null && <Skeleton rows={6} label={words.loading} />}
      {people?.length === 0 && (
        <Empty icon="user" title={words.people.emptyTitle}>
          <p>{words.people.emptyHelp}</p>
          <div className="empty-actions">{add}</div>
        </Empty>
      )}
      {people !== undefined && people.length > 0 && (
        <ul className="things">
          {people.map((person) => (
            <PersonLine key={person.Id} person={person} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="manage-foot">
          <Button onPress={() => void fetchNextPage()}>{words.more}</Button>
        </div>
      )}
      {isAdding && <AddPerson onClose={() => setAdding(false)} />}
    </>
  );
}
