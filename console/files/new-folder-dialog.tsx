// The dialog that creates a folder.

import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { explain } from '../parts/error-text.ts';
import { Field } from '../parts/field.tsx';
import { useWords } from '../words/words.tsx';

export function NewFolderDialog({ onCreate, onClose }: { onCreate(name: string): Promise<unknown>; onClose(): void }) {
  const words = useWords();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const create = async () => {
    if (name.trim() === '' || isBusy) return;
    setBusy(true);
    try {
      await onCreate(name);
      onClose();
    } catch (error) {
      setProblem(explain(error, words).text);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={words.files.newFolder}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{words.shell.cancel}</Button>
          <Button look="main" isDisabled={name.trim() === '' || isBusy} onPress={() => void create()}>
            {words.files.create}
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field
          label={words.files.newFolderName}
          autoFocus
          autoComplete="off"
          value={name}
          problem={problem}
          onChange={(typed) => {
            setName(typed);
            setProblem(null);
          }}
        />
      </form>
    </Dialog>
  );
}
