// What the person has allowed applications to do for them. Only applications that managers registered need it.

import { consentsPage, endConsent, type GivenConsent } from '@cabinet/client';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../manage/form-dialog.tsx';
import { Badge } from '../manage/page-head.tsx';
import { useManageWords } from '../manage/use-manage-words.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatWhen } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { Section } from './section.tsx';
import { useAccountWords } from './use-account-words.ts';

export function ConsentsSection() {
  const { consents: words, loading, more } = useAccountWords();
  const { cabinet } = useSession();
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['me', 'consents'],
    queryFn: ({ pageParam, signal }) => consentsPage(cabinet, { cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const all = data?.pages.flatMap(({ Consents }) => Consents);
  return (
    <Section title={words.title} lead={words.lead}>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {all === undefined && error === null && <Skeleton rows={1} label={loading} />}
      {all?.length === 0 && <p>{words.none}</p>}
      {all !== undefined && all.length > 0 && (
        <ul className="things">
          {all.map((one) => (
            <ConsentLine key={one.Application} shown={one} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <div className="manage-foot">
          <Button onPress={() => void fetchNextPage()}>{more}</Button>
        </div>
      )}
    </Section>
  );
}

function ConsentLine({ shown }: { shown: GivenConsent }) {
  const { consents: words } = useAccountWords();
  const { scopeNames } = useManageWords().applications;
  const { cabinet } = useSession();
  const { locale } = useWords();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { Application: appKey, ApplicationName: name, Scopes: scopes, GivenAt: at } = shown;
  const revoke = async () => {
    await endConsent(cabinet, appKey);
    setAsking(false);
    notify({ text: words.revoked(name) });
    await queries.invalidateQueries({ queryKey: ['me'] });
  };
  const shownScopes = scopes.filter((scope) => scope in scopeNames);
  return (
    <li className="thing">
      <span className="thing-icon">
        <Icon name="key" />
      </span>
      <div className="thing-text">
        <p className="thing-name">{name}</p>
        <p className="thing-more">
          {words.since(formatWhen(at, locale))} · <code>{appKey}</code>
        </p>
      </div>
      <div className="thing-badges">
        {shownScopes.map((scope) => (
          <Badge key={scope}>{scopeNames[scope]}</Badge>
        ))}
      </div>
      <div className="thing-actions">
        <Button aria-label={words.revokeOne(name)} onPress={() => setAsking(true)}>
          {words.revoke}
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={words.revokeTitle(name)}
          help={words.revokeHelp}
          confirm={words.revoke}
          onConfirm={revoke}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}
