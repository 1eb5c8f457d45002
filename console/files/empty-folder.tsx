// The empty state of a folder.

import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import type { Action } from './folder-action.ts';

export function EmptyFolder({ canWrite, onAction }: { canWrite: boolean; onAction(action: Action): void }) {
  const { files } = useWords();
  return (
    <Empty icon="folder" title={files.emptyTitle}>
      <p>{canWrite ? files.emptyHelp : files.emptyViewer}</p>
      {canWrite && (
        <div className="empty-actions">
          <Button icon="upload" onPress={() => document.querySelector<HTMLInputElement>('[data-files]')?.click()}>
            {files.upload}
          </Button>
          <Button icon="plus" onPress={() => onAction('newFolder')}>
            {files.newFolder}
          </Button>
        </div>
      )}
    </Empty>
  );
}
