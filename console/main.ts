// Where the console begins in a browser: small, so that it is known at once who is here. Whoever is signed in leaves for the
// issuer before anything large is loaded; for everyone else it comes while the issuer is asked.

import './start.css';
import { isLeaving, isReturning, resumeSession } from './session/session.ts';
import { applyPreferences } from './shell/preferences.ts';

applyPreferences();
const [leaves, returns] = [isLeaving(), isReturning()];
const resuming = resumeSession();

async function begin(): Promise<void> {
  // The pages are wanted for sure: they need not wait until it is drawn that there are any.
  if (returns) void import('./pages.tsx');
  const { draw } = await import('./draw.tsx');
  await draw(resuming);
}

// A sign-in that cannot be begun is told; one that is begun never comes back here.
if (leaves) resuming.catch(begin);
else void begin();
