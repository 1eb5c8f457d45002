// The button that opens a text in the editor, wherever the text is shown.

import type { Entry } from '@cabinet/client';
import { lazy, Suspense, useState } from 'react';
import { IconButton } from '../parts/button.tsx';
import { useSession } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import { isEditable } from './editable.ts';

const TextEditor = lazy(async () => ({ default: (await import('./text-editor.tsx')).TextEditor }));

export function EditButton({ entry }: { entry: Entry }) {
  const { files } = useWords();
  const { canWrite } = useSession();
  const [isEditing, setEditing] = useState(false);
  if (!canWrite || entry.Type !== 'file' || !isEditable(entry)) return null;
  return (
    <>
      <IconButton icon="pencil" label={files.edit} onPress={() => setEditing(true)} />
      {isEditing && (
        <Suspense>
          <TextEditor entry={entry} onClose={() => setEditing(false)} />
        </Suspense>
      )}
    </>
  );
}
