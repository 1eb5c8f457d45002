// Where the console begins in a browser.

import './start.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { Fallback } from './shell/fallback.tsx';
import { applyPreferences } from './shell/preferences.ts';
import { WordsProvider } from './words/words.tsx';

applyPreferences();

// The SDK tries again by itself; what fails after that is told.
const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 15_000, refetchOnWindowFocus: false } },
});

createRoot(document.getElementById('root') as HTMLElement).render(
  <QueryClientProvider client={queries}>
    <WordsProvider>
      <Fallback>
        <App />
      </Fallback>
    </WordsProvider>
  </QueryClientProvider>,
);
