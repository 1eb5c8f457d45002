// The links of one entry in the dialog that shares it.

import type { Entry } from '@cabinet/client';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import { LinkCard } from './link-card.tsx';
import { NewLink } from './link-form.tsx';
import { useEntryLinks, useShareRules } from './links.ts';
import { useSharingWords } from './use-sharing-words.ts';

export function LinksPanel({ entry }: { entry: Entry }) {
  const { files } = useWords();
  const { links: words } = useSharingWords();
  const { canWrite, canManage } = useSession();
  const rules = useShareRules();
  const { data, error, refetch } = useEntryLinks(entry.Id);
  const [isAdding, setAdding] = useState(false);
  const isOff = rules?.Allowed === false;
  const isForManagers = rules?.Makers === 'managers' && !canManage;
  const mayAdd = canWrite && !isOff && !isForManagers;
  const note = isOff ? words.problems.off : isForManagers ? words.problems.onlyManagers : words.lead;
  const open = data?.filter(({ State }) => State !== 'revoked') ?? [];
  const ended = data?.filter(({ State }) => State === 'revoked') ?? [];
  return (
    <div data-links tabIndex={-1}>
      <div className="links-head">
        <p className="share-note">{canWrite ? note : words.onlyEditors}</p>
        {mayAdd && (
          <Button look="main" icon="plus" onPress={() => setAdding(true)}>
            {words.add}
          </Button>
        )}
      </div>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={3} label={files.loading} />}
      {data !== undefined && open.length === 0 && (
        <p className="links-none">
          <b>{words.none}</b>
          {mayAdd && <> {words.noneHelp}</>}
        </p>
      )}
      <ul className="links">
        {open.map((link) => (
          <LinkCard key={link.Id} link={link} />
        ))}
      </ul>
      {ended.length > 0 && (
        <details className="link-ended">
          <summary>{words.ended(ended.length)}</summary>
          <ul className="links">
            {ended.map((link) => (
              <LinkCard key={link.Id} link={link} />
            ))}
          </ul>
        </details>
      )}
      {isAdding && <NewLink entry={entry} onAdded={() => setAdding(false)} onClose={() => setAdding(false)} />}
    </div>
  );
}
