// Renders the page with React once the session is known, so that nothing is rendered twice.

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { type Session, SignInFailed } from './session/session.ts';
import { Fallback } from './shell/fallback.tsx';
import { WordsProvider } from './words/words.tsx';

// The client retries by itself, so an error here is final.
const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 15_000, refetchOnWindowFocus: false } },
});

export async function render(resuming: Promise<Session | null>): Promise<void> {
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
