// What every preview is given.

import type { Entry } from '@cabinet/client';

export interface PreviewProps {
  entry: Entry;
  version: number;
}
