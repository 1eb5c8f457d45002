// The forms that create a link and change one.

import { addShare, changeShare, type Entry, type ShareFields } from '@cabinet/client';
import { useState } from 'react';
import { RadioChoice } from '../manage/chosen.tsx';
import { FormDialog } from '../manage/form-dialog.tsx';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import { isComplete, type LinkWish, toChange, toNewShare, toNewWish, toWish } from './link-fields.ts';
import { LinkFields } from './link-form-fields.tsx';
import { toLinkProblem } from './link-problem.ts';
import { useRefreshLinks, useShareRules } from './links.ts';
import { useSharingWords } from './use-sharing-words.ts';
import '../manage/manage-page.css';

interface NewLinkProps {
  entry: Entry;
  /** What is chosen at first. */
  access: LinkWish['access'];
  onAdded(link: ShareFields): void;
  onClose(): void;
}

export function NewLink({ entry, access, onAdded, onClose }: NewLinkProps) {
  const { links: words } = useSharingWords();
  const { cabinet } = useSession();
  const rules = useShareRules();
  const [wish, setWish] = useState(() => ({ ...toNewWish(rules), access }));
  const change = (changes: Partial<LinkWish>) => setWish({ ...wish, ...changes });
  const send = useSend(words.created, async () => {
    onAdded(await addShare(cabinet, { entry: entry.Id, access: wish.access, ...toNewShare(wish) }));
  });
  return (
    <FormDialog
      title={words.addTitle(entry.Name)}
      submit={words.create}
      canSend={isComplete(wish, rules?.PasswordRequired)}
      onSend={send}
      onClose={onClose}
    >
      {entry.Type === 'folder' && (
        <RadioChoice
          label={words.access}
          value={wish.access}
          options={words.accesses}
          onChange={(access) => change({ access: access === 'upload' ? 'upload' : 'read' })}
        />
      )}
      <LinkFields {...{ wish, rules }} link={null} onChange={change} />
    </FormDialog>
  );
}

export function ChangeLink({ link, onClose }: { link: ShareFields; onClose(): void }) {
  const { links: words } = useSharingWords();
  const { cabinet } = useSession();
  const rules = useShareRules();
  const [wish, setWish] = useState(() => toWish(link));
  const send = useSend(words.changed, async () => {
    await changeShare(cabinet, { id: link.Id, ...toChange(wish, link) });
    onClose();
  });
  return (
    <FormDialog
      title={words.changeTitle(link.Name)}
      submit={words.save}
      canSend={isComplete(wish)}
      onSend={send}
      onClose={onClose}
    >
      <LinkFields {...{ wish, link, rules }} onChange={(changes) => setWish({ ...wish, ...changes })} />
    </FormDialog>
  );
}

/** Refusals appear in the form, in words. */
function useSend(done: string, run: () => Promise<void>): () => Promise<void> {
  const { links: words } = useSharingWords();
  const refresh = useRefreshLinks();
  return async () => {
    try {
      await run();
    } catch (error) {
      throw toLinkProblem(error, words);
    }
    notify({ key: 'link', text: done });
    await refresh();
  };
}
