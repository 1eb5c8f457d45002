// Markdown on the page of a link, which visitors open without the console: a script of its own that the page loads after `view.js` of
// `src/rest/shared-page`. That has shown the source by then, or says when it has.

import { createRoot } from 'react-dom/client';
import { Markdown } from '../details/markdown.tsx';

const look = document.querySelector('[data-look=markdown]');

function show(): void {
  const source = look?.querySelector('pre');
  if (!source) return;
  const place = document.createElement('div');
  // Quotes or lists that are nested a thousand levels deep overflow the stack: their source is shown.
  const root = createRoot(place, { onUncaughtError: () => place.replaceWith(source) });
  source.replaceWith(place);
  root.render(<Markdown text={source.textContent} below="h1" />);
}

if (look?.querySelector('pre')) show();
else look?.addEventListener('shown', show, { once: true });
