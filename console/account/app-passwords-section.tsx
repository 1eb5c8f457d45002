// App passwords: for programs that cannot sign in on this page. A new one is shown once.

import { type Account, type AppPassword, appPasswordsPage, removeAppPassword } from '@cabinet/client';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../manage/form-dialog.tsx';
import { Badge } from '../manage/page-head.tsx';
import { Button, IconButton } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatWhen } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { AddAppPassword } from './add-app-password.tsx';
import { Section } from './section.tsx';
import { useAccountWords } from './use-account-words.ts';

export function AppPasswordsSection({ account }: { account: Account }) {
  const { appPasswords: words, loading, more } = useAccountWords();
  const { cabinet } = useSession();
  const [isAdding, setAdding] = useState(false);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['me', 'app-passwords'],
    queryFn: ({ pageParam, signal }) => appPasswordsPage(cabinet, { cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const all = data?.pages.flatMap(({ AppPasswords }) => AppPasswords);
  const add = (
    <Button icon="plus" look="main" onPress={() => setAdding(true)}>
      {words.add}
    </Button>
  );
  return (
    <Section title={words.title} lead={words.lead} action={add}>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {all === undefined && error === null && <Skeleton rows={2} label={loading} />}
      {all?.length === 0 && <p>{words.none}</p>}
      {all !== undefined && all.length > 0 && (
        <ul className="things">
          {all.map((one) => (
            <AppPasswordLine key={one.Id} shown={one} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="manage-foot">
          <Button onPress={() => void fetchNextPage()}>{more}</Button>
        </div>
      )}
      {isAdding && <AddAppPassword account={account} onClose={() => setAdding(false)} />}
    </Section>
  );
}

function AppPasswordLine({ shown }: { shown: AppPassword }) {
  const { appPasswords: words } = useAccountWords();
  const { cabinet, spaces } = useSession();
  const { locale } = useWords();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { Id: id, Name: name, Access: access, SpaceId: spaceId, ExpiresAt: end, LastUsedAt: used } = shown;
  const when = (iso: string) => formatWhen(iso, locale);
  const space = spaces.find(({ Id }) => Id === spaceId)?.Name ?? spaceId;
  const facts = [
    space === null ? words.allSpaces : words.oneSpace(space),
    words.createdAt(when(shown.CreatedAt)),
    used === null ? words.unused : words.used(when(used)),
    ...(end === null ? [] : [words.until(when(end))]),
  ];
  const remove = async () => {
    await removeAppPassword(cabinet, id);
    setAsking(false);
    notify({ text: words.removed(name) });
    await queries.invalidateQueries({ queryKey: ['me', 'app-passwords'] });
  };
  return (
    <li className="thing">
      <span className="thing-icon">
        <Icon name="key" />
      </span>
      <div className="thing-text">
        <p className="thing-name">{name}</p>
        <p className="thing-more">{facts.join(' · ')}</p>
      </div>
      <div className="thing-badges">
        <Badge>{words.badges[access]}</Badge>
        {end !== null && Date.parse(end) < Date.now() && <Badge look="bad">{words.ended}</Badge>}
      </div>
      <div className="thing-actions">
        <IconButton icon="trash" label={words.removeOne(name)} onPress={() => setAsking(true)} />
      </div>
      {isAsking && (
        <ConfirmDialog
          title={words.removeTitle(name)}
          help={words.removeHelp}
          confirm={words.remove}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}
