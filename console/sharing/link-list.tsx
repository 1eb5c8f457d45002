// Links of a space as a page shows them: filters in the address, and where each link leads to.

import type { ShareFields } from '@cabinet/client';
import { type ReactNode, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { Link } from '../routing/link.tsx';
import { setParams, useRoute } from '../routing/router.ts';
import { useSpaceParams } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import { LinkCard } from './link-card.tsx';
import { matches } from './link-filter.ts';
import { useLinks } from './links.ts';
import { useSharingWords } from './use-sharing-words.ts';
import './link-list.css';

const shownAtOnce = 100;

interface LinkListProps {
  isAll: boolean;
  /** What is shown where there is none. */
  none: { title: string; help: string };
}

export function LinkList({ isAll, none }: LinkListProps) {
  const { files } = useWords();
  const { params } = useRoute();
  const { data, error, refetch } = useLinks({ isAll });
  const found = data?.filter((link) => matches(link, params)) ?? [];
  return (
    <div data-links tabIndex={-1} className="link-list">
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={6} label={files.loading} />}
      {data?.length === 0 && (
        <Empty icon="link" title={none.title}>
          <p>{none.help}</p>
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <>
          <Filters isAll={isAll} />
          <Found links={found} />
        </>
      )}
    </div>
  );
}

function Filters({ isAll }: { isAll: boolean }) {
  const { links: words } = useSharingWords();
  const { params } = useRoute();
  const set = (name: string) => (value: string) => setParams({ [name]: value }, { isReplaced: true });
  return (
    <search className="link-filters" aria-label={words.filters}>
      <Field
        label={isAll ? words.searchAll : words.search}
        value={params.q ?? ''}
        onChange={set('q')}
        autoComplete="off"
        spellCheck="false"
      />
      <Choice
        label={words.state}
        value={params.status ?? ''}
        options={{ '': words.anyState, ...words.states }}
        onChange={set('status')}
      />
      <Choice
        label={words.kind}
        value={params.access ?? ''}
        options={{ '': words.anyKind, ...words.kinds }}
        onChange={set('access')}
      />
    </search>
  );
}

function Found({ links }: { links: readonly ShareFields[] }): ReactNode {
  const { links: words } = useSharingWords();
  const params = useSpaceParams();
  const [shown, setShown] = useState(shownAtOnce);
  if (links.length === 0) {
    return (
      <Empty icon="search" title={words.nothingFound}>
        <p>{words.nothingFoundHelp}</p>
      </Empty>
    );
  }
  return (
    <>
      <p className="link-count" role="status">
        {words.found(links.length)}
      </p>
      <ul className="links">
        {links.slice(0, shown).map((link) => {
          const title = (
            <Link to={{ page: 'files', id: link.EntryId, params }}>
              <bdi>{link.Name}</bdi>
            </Link>
          );
          return <LinkCard key={link.Id} link={link} title={link.State === 'revoked' ? undefined : title} />;
        })}
      </ul>
      {links.length > shown && (
        <div className="found-more">
          <Button onPress={() => setShown(shown + shownAtOnce)}>{words.more}</Button>
        </div>
      )}
    </>
  );
}
