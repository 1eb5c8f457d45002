// What can be done with a link: change it, see how it was used, stop it. Its maker and managers of the space may.

import { revokeShare, type ShareFields } from '@cabinet/client';
import { lazy, Suspense, useRef, useState } from 'react';
import { ConfirmDialog } from '../manage/form-dialog.tsx';
import { IconButton } from '../parts/button.tsx';
import { Menu, MenuItem } from '../parts/menu.tsx';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import { ChangeLink } from './link-form.tsx';
import { toLinkProblem } from './link-problem.ts';
import { useRefreshLinks } from './links.ts';
import { useSharingWords } from './use-sharing-words.ts';

const LinkActivity = lazy(async () => ({ default: (await import('./link-activity.tsx')).LinkActivity }));

export function LinkActions({ link }: { link: ShareFields }) {
  const { links: words } = useSharingWords();
  const { canManage } = useSession();
  const [open, setOpen] = useState<string | null>(null);
  const place = useRef<HTMLSpanElement>(null);
  const close = () => setOpen(null);
  /** A stopped link leaves its place, and the focus would be lost with it. */
  const leave = () => {
    const around = place.current?.closest<HTMLElement>('[data-links]');
    close();
    requestAnimationFrame(() => around?.focus());
  };
  // Only its maker is shown the address.
  const mayChange = (link.Url !== null || canManage) && link.State !== 'revoked';
  if (!mayChange && !canManage) return null;
  const label = words.actions(link.Name);
  return (
    <span ref={place} className="link-actions">
      <Menu label={label} trigger={<IconButton icon="more" label={label} />} onAction={setOpen}>
        {mayChange && (
          <MenuItem id="change" icon="pencil">
            {words.change}
          </MenuItem>
        )}
        {canManage && (
          <MenuItem id="activity" icon="clock">
            {words.activity}
          </MenuItem>
        )}
        {mayChange && (
          <MenuItem id="stop" icon="close" isBad>
            {words.stop}
          </MenuItem>
        )}
      </Menu>
      {open === 'change' && <ChangeLink link={link} onClose={close} />}
      {open === 'activity' && (
        <Suspense>
          <LinkActivity link={link} onClose={close} />
        </Suspense>
      )}
      {open === 'stop' && <StopLink link={link} onStopped={leave} onClose={close} />}
    </span>
  );
}

interface StopLinkProps {
  link: ShareFields;
  onStopped(): void;
  onClose(): void;
}

function StopLink({ link, onStopped, onClose }: StopLinkProps) {
  const { links: words } = useSharingWords();
  const { cabinet } = useSession();
  const refresh = useRefreshLinks();
  const run = async () => {
    try {
      await revokeShare(cabinet, link.Id);
    } catch (error) {
      throw toLinkProblem(error, words);
    }
    notify({ key: 'link', text: words.stopped });
    onStopped();
    await refresh();
  };
  return (
    <ConfirmDialog
      title={words.stopSure(link.Name)}
      help={words.stopHelp}
      confirm={words.stop}
      onConfirm={run}
      onClose={onClose}
    />
  );
}
