// What someone who is signed in sees: the page that the address names, in its frame. Pages beyond the folders come when they
// are opened.

import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { FilesPage } from './files/files-page.tsx';
import { FolderTree } from './files/folder-tree.tsx';
import { placeEntries } from './files/listing.ts';
import { useLive } from './find/live.ts';
import { Skeleton } from './parts/states.tsx';
import { usePlace } from './routing/router.ts';
import { GroundProvider } from './session/ground.tsx';
import type { Session } from './session/session.ts';
import { Shell } from './shell/shell.tsx';
import { uploads } from './uploads/queue.ts';
import { UploadTray } from './uploads/tray.tsx';
import { useWords } from './words/words.tsx';

const SearchPage = lazy(async () => ({ default: (await import('./find/search-page.tsx')).SearchPage }));
const TrashPage = lazy(async () => ({ default: (await import('./find/trash-page.tsx')).TrashPage }));
const ChangesPage = lazy(async () => ({ default: (await import('./find/changes-page.tsx')).ChangesPage }));
const ManagePage = lazy(async () => ({ default: (await import('./manage/manage-page.tsx')).ManagePage }));

export function Pages({ session }: { session: Session }) {
  return (
    <GroundProvider session={session}>
      <Framed />
    </GroundProvider>
  );
}

function Framed() {
  const words = useWords();
  useLive();
  useUploadsShown();
  return (
    <>
      <Shell aside={<FolderTree />}>
        <Suspense fallback={<Skeleton label={words.files.loading} />}>
          <CurrentPage />
        </Suspense>
      </Shell>
      <UploadTray />
    </>
  );
}

/** What was uploaded is seen at once where it belongs. */
function useUploadsShown(): void {
  const queries = useQueryClient();
  useEffect(() => {
    uploads.onSaved(({ saved }, folderId) => {
      if (saved !== null) placeEntries(queries, [{ id: saved.Id, entry: saved, parent: folderId }]);
    });
  }, [queries]);
}

function CurrentPage(): ReactNode {
  const { page } = usePlace();
  switch (page) {
    case 'files':
      return <FilesPage />;
    case 'search':
      return <SearchPage />;
    case 'trash':
      return <TrashPage />;
    case 'changes':
      return <ChangesPage />;
    case 'manage':
      return <ManagePage />;
  }
}
