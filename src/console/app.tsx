// Signs in, then shows the page that the address names. Pages beyond the folders come when they are opened.

import { useQueryClient } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { FilesPage } from './files/files-page.tsx';
import { FolderTree } from './files/folder-tree.tsx';
import { placeEntries } from './files/listing.ts';
import { useLive } from './find/live.ts';
import { Button } from './parts/button.tsx';
import { Dialog } from './parts/dialog.tsx';
import { Notices } from './parts/notices.tsx';
import { Skeleton } from './parts/states.tsx';
import { usePlace } from './routing/router.ts';
import { GroundProvider } from './session/ground.tsx';
import { beginSignIn, resumeSession, type Session, type SessionProblem, SignInFailed } from './session/session.ts';
import { SignInPage } from './session/sign-in-page.tsx';
import { Shell } from './shell/shell.tsx';
import { uploads } from './uploads/queue.ts';
import { UploadTray } from './uploads/tray.tsx';
import { useWords } from './words/words.tsx';

const SearchPage = lazy(async () => ({ default: (await import('./find/search-page.tsx')).SearchPage }));
const TrashPage = lazy(async () => ({ default: (await import('./find/trash-page.tsx')).TrashPage }));
const ChangesPage = lazy(async () => ({ default: (await import('./find/changes-page.tsx')).ChangesPage }));
const ManagePage = lazy(async () => ({ default: (await import('./manage/manage-page.tsx')).ManagePage }));

type State = { session: Session | null; problem: SessionProblem | null };

/** Once for each time that the page is loaded: a code can be used once. */
let resuming: Promise<Session | null> | null = null;

export function App() {
  const words = useWords();
  const [state, setState] = useState<State | null>(null);
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    resuming ??= resumeSession();
    resuming.then(
      (session) => {
        session?.onEnd(() => setOver(true));
        setState({ session, problem: null });
      },
      (error: unknown) =>
        setState({ session: null, problem: error instanceof SignInFailed ? error.problem : 'unreachable' }),
    );
  }, []);
  if (state === null) return <Skeleton label={words.signIn.busy} />;
  if (state.session === null) return <SignInPage problem={state.problem} />;
  return (
    <>
      <GroundProvider session={state.session}>
        <Pages />
      </GroundProvider>
      <Notices />
      {isOver && (
        <Dialog
          title={words.signIn.again}
          isAlert
          onClose={() => setOver(false)}
          actions={
            <Button look="main" onPress={() => void beginSignIn().catch(() => undefined)}>
              {words.signIn.button}
            </Button>
          }
        >
          <p>{words.signIn.againHelp}</p>
        </Dialog>
      )}
    </>
  );
}

function Pages() {
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
