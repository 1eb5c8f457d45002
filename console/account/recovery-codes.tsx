// Recovery codes, shown once.

import { ShownOnce } from '../manage/shown-once.tsx';
import { useAccountWords } from './use-account-words.ts';

export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  const { secondFactors: words } = useAccountWords();
  const line = { label: words.codes, what: words.codes, text: codes.join(' ') };
  return <ShownOnce title={words.codesTitle} help={words.codesHelp} lines={[line]} onClose={onClose} />;
}
