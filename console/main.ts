// The entry point in a browser. It is small, so that a returning user is redirected to the issuer before anything large is loaded.

import './start.css';
import { isLeaving, isReturning, resumeSession } from './session/session.ts';
import { applyPreferences } from './shell/preferences.ts';

applyPreferences();
const [leaves, returns] = [isLeaving(), isReturning()];
const resuming = resumeSession();

async function begin(): Promise<void> {
  // The pages will be needed: load them in parallel with the first render.
  if (returns) void import('./pages.tsx');
  const { render } = await import('./render.tsx');
  await render(resuming);
}

// A redirect to the issuer leaves the page; only a failure to start it is rendered.
if (leaves) resuming.catch(begin);
else void begin();
