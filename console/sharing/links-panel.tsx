// The links of one entry in the dialog that shares it.

import type { Entry, ShareFields } from '@cabinet/client';
import { useEffect, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import { LinkCard } from './link-card.tsx';
import { NewLink } from './link-form.tsx';
import { useEntryLinks, useShareRules } from './links.ts';
import { useSharingWords } from './use-sharing-words.ts';

export function LinksPanel({ entry, isRequest }: { entry: Entry; isRequest: boolean }) {
  const { files } = useWords();
  const { links: words } = useSharingWords();
  const { canWrite, canManage } = useSession();
  const rules = useShareRules();
  const { data, error, refetch } = useEntryLinks(entry.Id);
  const [adding, setAdding] = useState<ShareFields['Access'] | null>(null);
  // Not at once: of two dialogs that open together, the first one would hide the second from the keyboard.
  useEffect(() => {
    if (isRequest) setAdding('upload');
  }, [isRequest]);
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
          <Button look="main" icon="plus" onPress={() => setAdding('read')}>
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
      {adding !== null && mayAdd && (
        <NewLink entry={entry} access={adding} onAdded={() => setAdding(null)} onClose={() => setAdding(null)} />
      )}
    </div>
  );
}
