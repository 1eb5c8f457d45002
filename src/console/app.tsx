// Signs in, then shows the page that the address names. Pages beyond the folders come when they are opened.

import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Button } from './parts/button.tsx';
import { Dialog } from './parts/dialog.tsx';
import { Notices } from './parts/notices.tsx';
import { Empty, Skeleton } from './parts/states.tsx';
import { usePlace } from './routing/router.ts';
import { GroundProvider } from './session/ground.tsx';
import { beginSignIn, resumeSession, type Session, type SessionProblem, SignInFailed } from './session/session.ts';
import { SignInPage } from './session/sign-in-page.tsx';
import { Shell } from './shell/shell.tsx';
import { useWords } from './words/words.tsx';

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
  return (
    <Shell aside={null}>
      <Suspense fallback={<Skeleton label={words.files.loading} />}>
        <CurrentPage />
      </Suspense>
    </Shell>
  );
}

function CurrentPage(): ReactNode {
  const { page } = usePlace();
  if (page === 'manage') return <ManagePage />;
  return <Empty icon="folder" title={page} />;
}
