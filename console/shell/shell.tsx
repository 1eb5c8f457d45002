// The frame around every page: navigation, the open page, the account. On a phone the navigation is at the bottom.

import { lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { IconButton } from '../parts/button.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Link } from '../routing/link.tsx';
import { type Page, useRoute } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import type { Words } from '../words/en.ts';
import { useWords } from '../words/words.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Mark } from './mark.tsx';
import { SearchBox } from './search-box.tsx';
import './shell.css';

/** With its list, a tenth of the first page; most people are in one space. */
const SpaceChoice = lazy(async () => ({ default: (await import('./space-choice.tsx')).SpaceChoice }));

interface Way {
  page: Page;
  icon: IconName;
  label(words: Words): string;
  short?(words: Words): string;
  /** Left out of the navigation of phones; the page of the way before leads there. */
  isBeneath?: boolean;
}

const ways: readonly Way[] = [
  { page: 'files', icon: 'folder', label: ({ shell }) => shell.files },
  {
    page: 'shared',
    icon: 'user',
    label: ({ shell }) => shell.shared,
    short: ({ shell }) => shell.sharedShort,
  },
  { page: 'links', icon: 'link', label: ({ shell }) => shell.links, isBeneath: true },
  { page: 'search', icon: 'search', label: ({ shell }) => shell.search },
  { page: 'starred', icon: 'star', label: ({ shell }) => shell.starred, isBeneath: true },
  { page: 'recent', icon: 'clock', label: ({ shell }) => shell.recent, isBeneath: true },
  {
    page: 'changes',
    icon: 'pulse',
    label: ({ shell }) => shell.changes,
    short: ({ shell }) => shell.changesShort,
  },
  { page: 'trash', icon: 'trash', label: ({ shell }) => shell.trash },
];
const managing: Way = { page: 'manage', icon: 'gear', label: ({ shell }) => shell.manage };

interface ShellProps {
  /** What stands in the sidebar below the ways: the tree of folders. */
  aside: ReactNode;
  children: ReactNode;
}

export function Shell({ aside, children }: ShellProps) {
  const words = useWords();
  const { canManage, isGuest, spaces } = useSession();
  const place = useRoute();
  const [isOpen, setOpen] = useState(false);
  const isAsideDrawn = useOnceSeen(isOpen);
  // biome-ignore lint/correctness/useExhaustiveDependencies: wherever one goes, the drawer closes
  useEffect(() => setOpen(false), [place]);
  // A guest of the space has no root folder: what is shared stands in its place.
  const own = isGuest ? ways.filter(({ page }) => page !== 'files') : ways;
  const shown = canManage ? [...own, managing] : own;
  return (
    <div className="shell">
      <a className="skip" href="#content">
        {words.shell.skip}
      </a>
      <header className="bar">
        <span className="bar-menu">
          <IconButton icon="list" label={words.shell.navigation} onPress={() => setOpen(!isOpen)} />
        </span>
        <Link className="brand" to={{ page: 'files' }}>
          <Mark />
          <span>Cabinet</span>
        </Link>
        <SearchBox />
        <AccountMenu />
      </header>
      <nav className="side" data-open={isOpen} aria-label={words.shell.navigation}>
        {spaces.length > 1 && (
          <Suspense>
            <SpaceChoice />
          </Suspense>
        )}
        <Ways ways={shown} />
        {isAsideDrawn && aside}
      </nav>
      {isOpen && (
        <button type="button" className="side-scrim" aria-label={words.shell.close} onClick={() => setOpen(false)} />
      )}
      <main className="content" id="content" tabIndex={-1}>
        {children}
      </main>
      <nav className="bottom" aria-label={words.shell.more}>
        <Ways ways={shown.filter(({ isBeneath }) => isBeneath !== true)} isShort />
      </nav>
    </div>
  );
}

const phone = window.matchMedia('(max-width: 800px)');

function onPhoneChange(listener: () => void): () => void {
  phone.addEventListener('change', listener);
  return () => phone.removeEventListener('change', listener);
}

/** On a phone, what stands in the drawer is drawn when it is first opened, and stays. */
function useOnceSeen(isOpen: boolean): boolean {
  const isPhone = useSyncExternalStore(onPhoneChange, () => phone.matches);
  const [wasSeen, setSeen] = useState(false);
  const isSeen = isOpen || !isPhone;
  if (isSeen && !wasSeen) setSeen(true);
  return isSeen || wasSeen;
}

function Ways({ ways: shown, isShort = false }: { ways: readonly Way[]; isShort?: boolean }) {
  const words = useWords();
  const { isGuest } = useSession();
  const { page: open } = useRoute();
  const current = (isGuest && open === 'files') || (isShort && open === 'links') ? 'shared' : open;
  const params = useSpaceParams();
  return (
    <ul className="ways">
      {shown.map(({ page, icon, label, short }) => (
        <li key={page}>
          <Link to={{ page, params }} className="way" aria-current={page === current ? 'page' : undefined}>
            <Icon name={icon} />
            <span>{isShort && short !== undefined ? short(words) : label(words)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
