// What every preview is given.

import type { Entry } from '../../../sdk/src/description.ts';

export interface PreviewProps {
  entry: Entry;
  version: number;
}
