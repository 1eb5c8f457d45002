// A console with folders of files to show in full: what the tests of the viewer share.

import type { Locator } from 'playwright-core';
import { type SharedConsole, shareConsole } from './shared-console.ts';

export interface Viewing {
  shared: SharedConsole;
  viewer(): Locator;
  /** Resolves when this file is shown. */
  shows(name: string): Promise<void>;
}

export function shareViewer(): Viewing {
  const shared = shareConsole('viewed');
  return {
    shared,
    viewer: () => shared.page.locator('.viewer'),
    shows: (name) => shared.page.getByRole('dialog', { name, exact: true }).waitFor(),
  };
}
