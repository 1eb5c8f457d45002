// The corpus of invalid credentials: each has one defect and is sent with everything else valid.

import { claimFamilies, shapeFamilies } from './bad-claims.ts';
import { requestFamilies } from './bad-headers.ts';
import { headerFamilies, signatureFamilies } from './bad-signatures.ts';
import type { Family } from './refused.ts';

export const families: readonly Family[] = [
  ...signatureFamilies,
  ...headerFamilies,
  ...claimFamilies,
  ...shapeFamilies,
  ...requestFamilies,
];
