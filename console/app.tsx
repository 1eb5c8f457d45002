// Shows the pages to signed-in users and the sign-in page to everyone else. The pages are loaded only when needed.

import { lazy, Suspense, useEffect, useState } from 'react';
import { Notices } from './parts/notices.tsx';
import { Skeleton } from './parts/states.tsx';
import type { Session, SessionProblem } from './session/session.ts';
import { SignInPage } from './session/sign-in-page.tsx';
import { useWords } from './words/words.tsx';

const Pages = lazy(async () => ({ default: (await import('./pages.tsx')).Pages }));

const SignInAgain = lazy(async () => ({ default: (await import('./session/sign-in-again.tsx')).SignInAgain }));

export interface Known {
  session: Session | null;
  problem: SessionProblem | null;
}

export function App({ known: { session, problem } }: { known: Known }) {
  const words = useWords();
  const [isOver, setOver] = useState(false);
  useEffect(() => session?.onEnd(() => setOver(true)), [session]);
  useEffect(() => {
    // While the password is typed, what comes after it is loaded.
    if (session === null) import('./pages.tsx').catch(() => undefined);
  }, [session]);
  if (session === null) return <SignInPage problem={problem} />;
  return (
    <>
      <Suspense fallback={<Skeleton label={words.files.loading} />}>
        <Pages session={session} />
      </Suspense>
      <Notices />
      {isOver && (
        <Suspense>
          <SignInAgain onClose={() => setOver(false)} />
        </Suspense>
      )}
    </>
  );
}
