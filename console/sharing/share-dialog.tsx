// The dialog in which an entry is shared: with people and groups, and by links. Who has access and why, and stopping it.

import { type AccessLine, type Entry, grantAccess, listAccess, revokeAccess } from '@cabinet/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { Button, IconButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { showError } from '../parts/error-text.ts';
import { Choice, Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import { LinksPanel } from './links-panel.tsx';
import { useSharingWords } from './use-sharing-words.ts';
import './sharing.css';

interface ShareDialogProps {
  entry: Entry;
  /** Begins with a new file request. */
  isRequest?: boolean;
  onClose(): void;
}

export function ShareDialog({ entry, isRequest = false, onClose }: ShareDialogProps) {
  const sharing = useSharingWords();
  const { canManage, canWrite } = useSession();
  // First what the person can do: only managers share with people.
  const isLinksFirst = isRequest || (canWrite && !canManage);
  const { people, links } = sharing.links;
  return (
    <Dialog title={sharing.title(entry.Name)} isWide onClose={onClose}>
      <Tabs className="share-tabs" defaultSelectedKey={isLinksFirst ? 'links' : 'people'}>
        <TabList className="tabs" aria-label={sharing.title(entry.Name)}>
          <Tab id="people" className="tab">
            {people}
          </Tab>
          <Tab id="links" className="tab">
            {links}
          </Tab>
        </TabList>
        <TabPanel id="people" className="share-panel">
          <People entry={entry} />
        </TabPanel>
        <TabPanel id="links" className="share-panel">
          <LinksPanel entry={entry} isRequest={isRequest} />
        </TabPanel>
      </Tabs>
    </Dialog>
  );
}

function People({ entry }: { entry: Entry }) {
  const words = useWords();
  const sharing = useSharingWords();
  const { cabinet, canManage } = useSession();
  const queries = useQueryClient();
  const queryKey = ['access', entry.Id];
  const { data, error, refetch } = useQuery({
    queryKey,
    staleTime: 0,
    queryFn: ({ signal }) => Array.fromAsync(listAccess(cabinet, entry.Id, { signal })),
  });
  const change = async (act: Promise<unknown>, done: string) => {
    try {
      await act;
      notify({ text: done });
    } catch (failed) {
      showError(failed, words);
    }
    await queries.invalidateQueries({ queryKey });
  };
  const share = (principal: string, role: 'viewer' | 'editor') =>
    change(grantAccess(cabinet, { id: entry.Id, principal, role }), sharing.shared(toName(principal)));
  const stop = (principal: string) =>
    change(revokeAccess(cabinet, { id: entry.Id, principal }), sharing.stopped(toName(principal)));
  return (
    <>
      {canManage ? <ShareForm onShare={share} /> : <p className="share-note">{sharing.onlyManagers}</p>}
      <h3 className="share-head">{sharing.who}</h3>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton label={words.files.loading} />}
      {data?.length === 0 && <p className="share-note">{sharing.nobody}</p>}
      {data !== undefined && data.length > 0 && (
        <ul className="share-lines">
          {data.map((line) => (
            <Line
              key={`${line.Principal} ${line.From === 'space' ? '' : line.From.Id}`}
              line={line}
              entryId={entry.Id}
              onStop={canManage ? () => void stop(line.Principal) : null}
            />
          ))}
        </ul>
      )}
    </>
  );
}

function ShareForm({ onShare }: { onShare(principal: string, role: 'viewer' | 'editor'): Promise<void> }) {
  const sharing = useSharingWords();
  const [kind, setKind] = useState<'user' | 'group'>('user');
  const [name, setName] = useState('');
  const [role, setRole] = useState<'viewer' | 'editor'>('viewer');
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    void onShare(`${kind}:${name.trim()}`, role).then(() => setName(''));
  };
  return (
    <form className="share-form" onSubmit={send}>
      <Choice
        label={sharing.kind}
        value={kind}
        options={sharing.kinds}
        onChange={(value) => setKind(value === 'group' ? 'group' : 'user')}
      />
      <Field label={sharing.name[kind]} value={name} onChange={setName} autoComplete="off" />
      <Choice
        label={sharing.role}
        value={role}
        options={{ viewer: sharing.roles.viewer, editor: sharing.roles.editor }}
        onChange={(value) => setRole(value === 'editor' ? 'editor' : 'viewer')}
      />
      <Button look="main" type="submit" isDisabled={name.trim() === ''}>
        {sharing.share}
      </Button>
      <p className="share-note">{sharing.help}</p>
    </form>
  );
}

interface LineProps {
  line: AccessLine;
  entryId: string;
  /** Null: the person may not. */
  onStop: (() => void) | null;
}

function Line({ line: { Principal, Role, From }, entryId, onStop }: LineProps) {
  const sharing = useSharingWords();
  const isGroup = Principal.startsWith('group:');
  const name = toName(Principal);
  const isHere = From !== 'space' && From.Id === entryId;
  const why = From === 'space' ? sharing.bySpace : isHere ? sharing.here : sharing.above(From.Path);
  return (
    <li className="share-line">
      <Icon name="user" />
      <div>
        <strong>
          <bdi>{isGroup ? sharing.group(name) : name}</bdi>
        </strong>
        <p>
          {sharing.roles[Role]} · <bdi>{why}</bdi>
        </p>
      </div>
      {isHere && onStop !== null && <IconButton icon="close" label={sharing.stop(name)} onPress={onStop} />}
    </li>
  );
}

function toName(principal: string): string {
  return principal.slice(principal.indexOf(':') + 1);
}
