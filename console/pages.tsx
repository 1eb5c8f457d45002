// The pages of signed-in users, in their frame. Pages other than the folders are loaded when they are opened.

import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { FilesPage } from './files/files-page.tsx';
import { FolderTree } from './files/folder-tree.tsx';
import { updateListings } from './files/listing.ts';
import { useLiveUpdates } from './find/live.ts';
import { Empty, Skeleton } from './parts/states.tsx';
import { Link } from './routing/link.tsx';
import { useRoute } from './routing/router.ts';
import type { Session } from './session/session.ts';
import { SessionProvider, useSession } from './session/session-context.tsx';
import { Shell } from './shell/shell.tsx';
import { uploads } from './uploads/queue.ts';
import { UploadTray } from './uploads/tray.tsx';
import { useWords } from './words/words.tsx';

const SharedPage = lazy(async () => ({ default: (await import('./sharing/shared-page.tsx')).SharedPage }));
const LinksPage = lazy(async () => ({ default: (await import('./sharing/links-page.tsx')).LinksPage }));
const SearchPage = lazy(async () => ({ default: (await import('./find/search-page.tsx')).SearchPage }));
const StarredPage = lazy(async () => ({ default: (await import('./find/personal-page.tsx')).StarredPage }));
const RecentPage = lazy(async () => ({ default: (await import('./find/personal-page.tsx')).RecentPage }));
const TrashPage = lazy(async () => ({ default: (await import('./find/trash-page.tsx')).TrashPage }));
const ChangesPage = lazy(async () => ({ default: (await import('./find/changes-page.tsx')).ChangesPage }));
const AccountPage = lazy(async () => ({ default: (await import('./account/account-page.tsx')).AccountPage }));
const ManagePage = lazy(async () => ({ default: (await import('./manage/manage-page.tsx')).ManagePage }));

export function Pages({ session }: { session: Session }) {
  return (
    <SessionProvider session={session}>
      <Framed />
    </SessionProvider>
  );
}

function Framed() {
  const words = useWords();
  const { isGuest } = useSession();
  useLiveUpdates();
  useUploadsShown();
  return (
    <>
      <Shell aside={isGuest ? null : <FolderTree />}>
        <Suspense fallback={<Skeleton label={words.files.loading} />}>
          <CurrentPage />
        </Suspense>
      </Shell>
      <UploadTray />
    </>
  );
}

/** Shows uploaded entries at once in their folder. */
function useUploadsShown(): void {
  const queries = useQueryClient();
  useEffect(() => {
    uploads.onSaved(({ saved }, folderId) => {
      if (saved !== null) updateListings(queries, [{ id: saved.Id, entry: saved, parent: folderId }]);
    });
  }, [queries]);
}

function UnknownPage() {
  const { shell } = useWords();
  useEffect(() => {
    document.title = `${shell.unknown} – Cabinet`;
  }, [shell]);
  return (
    <section className="paper">
      <Empty icon="search" title={shell.unknown} level={1}>
        <p>{shell.unknownHelp}</p>
        <Link to={{ page: 'files' }}>{shell.files}</Link>
      </Empty>
    </section>
  );
}

function CurrentPage(): ReactNode {
  const { page, id } = useRoute();
  const { isGuest } = useSession();
  switch (page) {
    case 'files':
      // Without a role in the space there is no root folder.
      return isGuest && id === null ? <SharedPage /> : <FilesPage />;
    case 'shared':
      return <SharedPage />;
    case 'links':
      return <LinksPage />;
    case 'search':
      return <SearchPage />;
    case 'starred':
      return <StarredPage />;
    case 'recent':
      return <RecentPage />;
    case 'trash':
      return <TrashPage />;
    case 'changes':
      return <ChangesPage />;
    case 'account':
      return <AccountPage />;
    case 'manage':
      return <ManagePage />;
    case 'unknown':
      return <UnknownPage />;
  }
}
