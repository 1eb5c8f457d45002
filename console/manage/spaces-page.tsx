// The user's spaces: usage, name, links to members and files.

import { addSpace, renameSpace, showUsage } from '@cabinet/client';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { Link } from '../routing/link.tsx';
import { connectTo, type Space, useSession } from '../session/session-context.tsx';
import { formatSize } from '../words/format.ts';
import { FormDialog } from './form-dialog.tsx';
import { Badge, PageHead } from './page-head.tsx';
import { useLocale, useManageWords } from './use-manage-words.ts';

export function SpacesPage() {
  const words = useManageWords();
  const { spaces } = useSession();
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHead title={words.pages.spaces} lead={words.spaces.lead}>
        <Button look="main" icon="plus" onPress={() => setAdding(true)}>
          {words.spaces.add}
        </Button>
      </PageHead>
      <ul className="things">
        {spaces.map((space) => (
          <SpaceLine key={space.Id} space={space} />
        ))}
      </ul>
      {isAdding && <AddSpace onClose={() => setAdding(false)} />}
    </>
  );
}

function useSpaceUsage(space: Space) {
  const { session } = useSession();
  return useQuery({
    queryKey: ['manage', space.Id, 'usage', 'sum'],
    queryFn: ({ signal }) => showUsage(connectTo(session, space.Id), { limit: 1, signal }),
    // A new space is known to every part of the service within a second.
    retry: 2,
  });
}

function SpaceLine({ space }: { space: Space }) {
  const words = useManageWords();
  const locale = useLocale();
  const { space: open } = useSession();
  const { data } = useSpaceUsage(space);
  const [isRenaming, setRenaming] = useState(false);
  const params = { space: space.Id };
  const role = space.Role ?? 'viewer';
  return (
    <li className="thing">
      <span className="thing-icon">
        <Icon name="folder" />
      </span>
      <div className="thing-text">
        <p className="thing-name">
          <Link to={{ page: 'files', params }}>{space.Name}</Link>
        </p>
        <p className="thing-more">
          {data === undefined ? '…' : words.spaces.holds(data.Space.Entries, formatSize(data.Space.Bytes, locale))}
        </p>
      </div>
      <div className="thing-badges">
        {space.Id === open.Id && <Badge look="good">{words.spaces.current}</Badge>}
        <Badge look={role === 'manager' ? 'manila' : 'plain'}>{words.roles[role]}</Badge>
      </div>
      {role === 'manager' && (
        <div className="thing-actions">
          <Link className="button button-plain" to={{ page: 'manage', id: 'people', params }}>
            <Icon name="user" size={18} />
            {words.spaces.members}
            <span className="unseen">{space.Name}</span>
          </Link>
          <Button icon="pencil" aria-label={words.spaces.renameTitle(space.Name)} onPress={() => setRenaming(true)}>
            {words.spaces.rename}
          </Button>
        </div>
      )}
      {isRenaming && <RenameSpace space={space} onClose={() => setRenaming(false)} />}
    </li>
  );
}

function RenameSpace({ space, onClose }: { space: Space; onClose(): void }) {
  const { spaces: words, save } = useManageWords();
  const { session } = useSession();
  const queries = useQueryClient();
  const [name, setName] = useState(space.Name);
  const rename = async () => {
    const renamed = await renameSpace(connectTo(session), { id: space.Id, name: name.trim() });
    putSpace(queries, renamed);
    notify({ text: words.renamed(renamed.Name) });
    onClose();
  };
  const canSend = name.trim() !== '' && name.trim() !== space.Name;
  return (
    <FormDialog title={words.renameTitle(space.Name)} submit={save} canSend={canSend} onSend={rename} onClose={onClose}>
      <NameField name={name} onChange={setName} />
    </FormDialog>
  );
}

function AddSpace({ onClose }: { onClose(): void }) {
  const { spaces: words, create } = useManageWords();
  const { session } = useSession();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const add = async () => {
    const made = await addSpace(connectTo(session), { name: name.trim() });
    putSpace(queries, made);
    notify({ text: words.created(made.Name) });
    onClose();
  };
  return (
    <FormDialog title={words.add} submit={create} canSend={name.trim() !== ''} onSend={add} onClose={onClose}>
      <NameField name={name} onChange={setName} />
    </FormDialog>
  );
}

/** The list may be a second old: the answer about this space is newer. */
function putSpace(queries: QueryClient, changed: Space): void {
  queries.setQueryData(['spaces'], (known: readonly Space[] = []) =>
    [...known.filter(({ Id }) => Id !== changed.Id), changed].toSorted((a, b) => a.Name.localeCompare(b.Name)),
  );
}

function NameField({ name, onChange }: { name: string; onChange(name: string): void }) {
  const words = useManageWords().spaces;
  return (
    <Field
      label={words.name}
      hint={words.nameHint}
      value={name}
      onChange={onChange}
      autoFocus
      maxLength={64}
      autoComplete="off"
    />
  );
}
