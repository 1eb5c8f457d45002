// The props of every preview.

import type { Entry } from '@cabinet/client';

export interface PreviewProps {
  entry: Entry;
  version: number;
}
