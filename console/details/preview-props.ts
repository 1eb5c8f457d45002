// The props of every preview: in the details pane, or in full.

import type { Entry } from '@cabinet/client';

export interface PreviewProps {
  entry: Entry;
  version: number;
  isFull?: boolean;
}
