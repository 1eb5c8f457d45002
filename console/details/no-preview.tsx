// What stands instead of a preview: why there is none, and the download.

import type { Entry } from '@cabinet/client';
import { downloadEntry } from '../files/download.ts';
import { iconOf } from '../files/kind.ts';
import { Button } from '../parts/button.tsx';
import { showError } from '../parts/error-text.ts';
import { Empty } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatSize } from '../words/format.ts';
import { useWords } from '../words/words.tsx';

export function NoPreview({ entry, text }: { entry: Entry; text: string }) {
  const words = useWords();
  const { cabinet } = useSession();
  const download = () => void downloadEntry(cabinet, entry).catch((error) => showError(error, words));
  return (
    <Empty icon={iconOf(entry)} title={formatSize(entry.Size, words.locale)}>
      <p>{text}</p>
      <Button icon="download" onPress={download}>
        {words.files.download}
      </Button>
    </Empty>
  );
}
