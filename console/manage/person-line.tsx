// One member of a space: change the role or remove the member.

import { changeUser, type Role, removeUser, type SetupLink, setUpUser, type User } from '@cabinet/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { IconButton } from '../parts/button.tsx';
import { showError } from '../parts/error-text.ts';
import { Choice } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Menu, MenuItem } from '../parts/menu.tsx';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatWhen } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { AccountDialog } from './account-dialog.tsx';
import { ConfirmDialog } from './form-dialog.tsx';
import { Badge } from './page-head.tsx';
import { SetupOnce } from './setup-once.tsx';
import { useLocale, useManageWords } from './use-manage-words.ts';

export function PersonLine({ person }: { person: User }) {
  const { people: words, disabled } = useManageWords();
  const locale = useLocale();
  const { session } = useSession();
  const { Id: id, Name: name, State: state, CreatedAt: at, CreatedBy: by } = person;
  const facts = [
    ...(name === id ? [] : [id]),
    words.since(formatWhen(at, locale)),
    ...(by ? [words.addedBy(by)] : []),
    ...(person.HasSignedIn === false && !id.includes(':') ? [words.neverSignedIn] : []),
  ];
  return (
    <li className="thing">
      <span className="thing-icon">
        <Icon name="user" />
      </span>
      <div className="thing-text">
        <p className="thing-name">
          {name} {id === session.person.id && <Badge look="manila">{words.you}</Badge>}
        </p>
        <p className="thing-more">{facts.join(' · ')}</p>
      </div>
      {state === 'disabled' && <Badge look="bad">{disabled}</Badge>}
      <PersonActions person={person} />
    </li>
  );
}

function PersonActions({ person }: { person: User }) {
  const { people: words, roles, actions } = useManageWords();
  const all = useWords();
  const { cabinet, space, session } = useSession();
  const queries = useQueryClient();
  const [asking, setAsking] = useState<string | null>(null);
  const [link, setLink] = useState<SetupLink | null>(null);
  const { Id: id, Name: name, Role: role = 'viewer' } = person;
  const close = () => setAsking(null);
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: ['manage', space.Id, 'people'] });
    // Users who lower their own role lose access here.
    if (id === session.person.id) await queries.invalidateQueries({ queryKey: ['spaces'] });
  };
  const giveRole = async (given: Role) => {
    await changeUser(cabinet, { id, role: given });
    await refresh();
    notify({ text: words.roleChanged(name, roles[given]) });
  };
  const act = (action: string) => {
    if (action !== 'setup') return setAsking(action);
    void setUpUser(cabinet, id).then(setLink, (error: unknown) => showError(error, all));
  };
  const takeOut = async () => {
    await removeUser(cabinet, id);
    close();
    notify({ text: words.left(name) });
    await refresh();
  };
  return (
    <div className="thing-actions">
      <Choice
        label={words.roleOf(name)}
        isLabelUnseen
        value={role}
        options={roles}
        onChange={(given) => void giveRole(given as Role).catch((error: unknown) => showError(error, all))}
      />
      <Menu label={actions(name)} trigger={<IconButton icon="more" label={actions(name)} />} onAction={act}>
        <MenuItem id="account" icon="key">
          {words.account}
        </MenuItem>
        {!id.includes(':') && (
          <MenuItem id="setup" icon="again">
            {words.newSetup}
          </MenuItem>
        )}
        <MenuItem id="leave" icon="trash" isBad>
          {words.leave}
        </MenuItem>
      </Menu>
      {link !== null && <SetupOnce person={person} link={link} onClose={() => setLink(null)} />}
      {asking === 'account' && <AccountDialog person={person} onClose={close} />}
      {asking === 'leave' && (
        <ConfirmDialog
          title={words.leaveTitle(name)}
          help={words.leaveHelp}
          confirm={words.leave}
          onConfirm={takeOut}
          onClose={close}
        />
      )}
    </div>
  );
}
