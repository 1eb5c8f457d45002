// Where the person is signed in: ending one sign-in, or all.

import { endSession, endSessions, type Session, sessionsPage } from '@cabinet/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../manage/form-dialog.tsx';
import { Badge } from '../manage/page-head.tsx';
import { Button } from '../parts/button.tsx';
import { showError } from '../parts/error-text.ts';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatWhen } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { toBrowserName } from './browser-name.ts';
import { Section } from './section.tsx';
import { useAccountWords } from './use-account-words.ts';

export function SessionsSection() {
  const { sessions: words, loading, more } = useAccountWords();
  const { cabinet, session } = useSession();
  const [isAsking, setAsking] = useState(false);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['me', 'sessions'],
    queryFn: ({ pageParam, signal }) => sessionsPage(cabinet, { cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const endAll = async () => {
    await endSessions(cabinet);
    await session.signOut();
  };
  const sessions = data?.pages.flatMap(({ Sessions }) => Sessions);
  const end = <Button onPress={() => setAsking(true)}>{words.endAll}</Button>;
  return (
    <Section title={words.title} lead={words.lead} action={end}>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {sessions === undefined && error === null && <Skeleton rows={2} label={loading} />}
      {sessions !== undefined && (
        <ul className="things">
          {sessions.map((one) => (
            <SessionLine key={one.Id} shown={one} onEnded={() => void refetch()} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="manage-foot">
          <Button onPress={() => void fetchNextPage()}>{more}</Button>
        </div>
      )}
      {isAsking && (
        <ConfirmDialog
          title={words.endAllTitle}
          help={words.endAllHelp}
          confirm={words.endAll}
          onConfirm={endAll}
          onClose={() => setAsking(false)}
        />
      )}
    </Section>
  );
}

function SessionLine({ shown, onEnded }: { shown: Session; onEnded(): void }) {
  const { sessions: words } = useAccountWords();
  const all = useWords();
  const { cabinet, session } = useSession();
  const { browser, system } = toBrowserName(shown.UserAgent);
  const browserName = browser !== null && system !== null ? words.on(browser, system) : (browser ?? system);
  const name = words.through(shown.ApplicationName, browserName ?? words.unknown);
  const when = (iso: string) => formatWhen(iso, all.locale);
  const facts = [words.from(shown.Address), words.since(when(shown.StartedAt)), words.used(when(shown.LastUsedAt))];
  const end = async () => {
    await endSession(cabinet, shown.Id);
    if (shown.IsCurrent) return session.signOut();
    notify({ text: words.ended });
    onEnded();
  };
  return (
    <li className="thing">
      <span className="thing-icon">
        <Icon name="user" />
      </span>
      <div className="thing-text">
        <p className="thing-name" title={shown.UserAgent}>
          {name} {shown.IsCurrent && <Badge look="good">{words.current}</Badge>}
        </p>
        <p className="thing-more">{facts.join(' · ')}</p>
      </div>
      <div className="thing-actions">
        <Button
          aria-label={words.endOne(name)}
          onPress={() => void end().catch((error: unknown) => showError(error, all))}
        >
          {words.end}
        </Button>
      </div>
    </li>
  );
}
