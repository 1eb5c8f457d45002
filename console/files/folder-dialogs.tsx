// The dialogs of a folder page: a new folder, and the target of a move or copy. Loaded when they are first opened.

import { lazy, Suspense } from 'react';
import type { FolderState, OpenDialog } from './folder-commands.ts';

const NewFolderDialog = lazy(async () => ({ default: (await import('./new-folder-dialog.tsx')).NewFolderDialog }));
const ShareDialog = lazy(async () => ({ default: (await import('../sharing/share-dialog.tsx')).ShareDialog }));
const TextEditor = lazy(async () => ({ default: (await import('./text-editor.tsx')).TextEditor }));
const TargetDialog = lazy(async () => ({ default: (await import('./target-dialog.tsx')).TargetDialog }));

interface FolderDialogsProps {
  folder: FolderState;
  dialog: OpenDialog | null;
  onClose(): void;
}

export function FolderDialogs({ folder: { actions, current, selection }, dialog, onClose }: FolderDialogsProps) {
  return (
    <Suspense>
      {dialog?.kind === 'newFolder' && (
        <NewFolderDialog onCreate={(name) => actions.createFolder(current.id, name)} onClose={onClose} />
      )}
      {dialog?.kind === 'edit' && <TextEditor entry={dialog.entry} onClose={onClose} />}
      {(dialog?.kind === 'share' || dialog?.kind === 'requestFiles') && (
        <ShareDialog entry={dialog.entry} isRequest={dialog.kind === 'requestFiles'} onClose={onClose} />
      )}
      {(dialog?.kind === 'move' || dialog?.kind === 'copy') && (
        <TargetDialog
          entries={dialog.entries}
          isCopy={dialog.kind === 'copy'}
          startAt={current.id}
          onClose={onClose}
          onChoose={(to) => {
            selection.clear();
            void (dialog.kind === 'copy'
              ? actions.copy(dialog.entries, to)
              : actions.move(dialog.entries, to, current));
          }}
        />
      )}
    </Suspense>
  );
}
