// What only operators can change: the password of an account, and whether it may sign in. An account may belong to spaces that this
// manager does not manage, so the dialog shows the commands to pass on.

import type { User } from '@cabinet/client';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { CopiedText } from './copied-text.tsx';
import { useManageWords } from './use-manage-words.ts';

export function AccountDialog({ person, onClose }: { person: User; onClose(): void }) {
  const words = useManageWords().people;
  const { Id: id, Name: name, State: state } = person;
  const isOutside = id.includes(':');
  const change = state === 'active' ? 'disable' : 'enable';
  const commands: [string, string][] = [
    [words[change], `cabinet user ${change} ${quote(id)}`],
    ...(isOutside ? [] : [[words.newPassword, `cabinet user setup ${quote(id)}`] as [string, string]]),
  ];
  return (
    <Dialog
      title={words.accountTitle(name)}
      onClose={onClose}
      actions={
        <Button look="main" onPress={onClose}>
          {words.close}
        </Button>
      }
    >
      <div className="manage-form">
        <p>{words.accountHelp}</p>
        <dl className="manage-facts">
          {commands.map(([what, command]) => (
            <div key={command}>
              <dt>{what}</dt>
              <dd>
                <CopiedText what={words.command} text={command} />
              </dd>
            </div>
          ))}
        </dl>
        {isOutside && <p>{words.outside}</p>}
      </div>
    </Dialog>
  );
}

/** Ids from external issuers may contain shell characters. */
function quote(id: string): string {
  return /^[\w.@+-]+$/.test(id) ? id : `'${id.replaceAll("'", `'\\''`)}'`;
}
