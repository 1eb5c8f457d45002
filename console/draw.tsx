// React's part: begins once it is known who is here, so that nothing is drawn twice.

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { type Session, SignInFailed } from './session/session.ts';
import { Fallback } from './shell/fallback.tsx';
import { WordsProvider } from './words/words.tsx';

// The SDK tries again by itself; what fails after that is told.
const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 15_000, refetchOnWindowFocus: false } },
});

export async function draw(resuming: Promise<Session | null>): Promise<void> {
  const known = await resuming.then(
    (session) => ({ session, problem: null }),
    (error: unknown) => ({
      session: null,
      problem: error instanceof SignInFailed ? error.problem : ('unreachable' as const),
    }),
  );
  createRoot(document.getElementById('root') as HTMLElement).render(
    <QueryClientProvider client={queries}>
      <WordsProvider>
        <Fallback>
          <App known={known} />
        </Fallback>
      </WordsProvider>
    </QueryClientProvider>,
  );
}
