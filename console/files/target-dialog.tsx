// The dialog that selects the target folder of a move or copy.

import type { Entry } from '@cabinet/client';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { explain } from '../parts/error-text.ts';
import { Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Skeleton } from '../parts/states.tsx';
import { useWords } from '../words/words.tsx';
import { useActions } from './actions.ts';
import { type Ancestor, useAncestors } from './ancestors.ts';
import { useSubfolders } from './subfolders.ts';
import './target-dialog.css';

interface TargetDialogProps {
  entries: readonly Entry[];
  isCopy: boolean;
  startAt: string;
  onChoose(to: Ancestor): void;
  onClose(): void;
}

export function TargetDialog({ entries, isCopy, startAt, onChoose, onClose }: TargetDialogProps) {
  const { files, shell } = useWords();
  const [at, setAt] = useState(startAt);
  /** Null: not yet. */
  const [isNaming, setNaming] = useState<boolean | null>(null);
  const chain = useAncestors(at);
  const current = chain.at(-1);
  const isLoaded = current?.id === at;
  const choose = () => {
    if (current === undefined || !isLoaded) return;
    onClose();
    onChoose(current);
  };
  return (
    <Dialog
      title={isCopy ? files.copyTitle(entries.length) : files.moveTitle(entries.length)}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{shell.cancel}</Button>
          <Button look="main" isDisabled={!isLoaded || (!isCopy && at === startAt)} onPress={choose}>
            {isCopy ? files.copyHere : files.moveHere}
          </Button>
        </>
      }
    >
      <Path chain={chain} isLoaded={isLoaded} onOpen={setAt} />
      {isNaming === true ? (
        <NewFolder
          parent={at}
          onDone={(id) => {
            setNaming(false);
            if (id !== null) setAt(id);
          }}
        />
      ) : (
        <Button icon="plus" autoFocus={isNaming === false} isDisabled={!isLoaded} onPress={() => setNaming(true)}>
          {files.newFolder}
        </Button>
      )}
      <Folders at={at} without={entries} onOpen={setAt} />
    </Dialog>
  );
}

/** Where the dialog is; each folder above is a button. */
function Path({
  chain,
  isLoaded,
  onOpen,
}: {
  chain: readonly Ancestor[];
  isLoaded: boolean;
  onOpen(id: string): void;
}) {
  const { files } = useWords();
  const above = isLoaded ? chain.slice(0, -1) : chain;
  return (
    <nav className="target-path" aria-label={files.breadcrumbs}>
      <ol>
        {above.map(({ id, name }) => (
          <li key={id}>
            <button type="button" onClick={() => onOpen(id)}>
              <bdi>{name}</bdi>
            </button>
            <span aria-hidden="true">/</span>
          </li>
        ))}
        <li aria-current="true">
          <strong>
            <bdi>{isLoaded ? chain.at(-1)?.name : '…'}</bdi>
          </strong>
        </li>
      </ol>
    </nav>
  );
}

/** Created where the dialog is, and opened. */
function NewFolder({ parent, onDone }: { parent: string; onDone(id: string | null): void }) {
  const words = useWords();
  const actions = useActions();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const create = () =>
    actions.createFolder(parent, name).then(
      ({ Id }) => onDone(Id),
      (error: unknown) => setProblem(explain(error, words).text),
    );
  return (
    <form
      className="target-new"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '') void create();
      }}
    >
      <Field
        label={words.files.newFolderName}
        isLabelUnseen
        placeholder={words.files.newFolderName}
        autoFocus
        autoComplete="off"
        value={name}
        problem={problem}
        onChange={(typed) => {
          setName(typed);
          setProblem(null);
        }}
        onKeyDown={(event) => event.key === 'Escape' && onDone(null)}
      />
      <Button type="submit" isDisabled={name.trim() === ''}>
        {words.files.create}
      </Button>
    </form>
  );
}

function Folders({ at, without, onOpen }: { at: string; without: readonly Entry[]; onOpen(id: string): void }) {
  const { files } = useWords();
  const found = useSubfolders(at);
  if (found === null) return <Skeleton rows={4} label={files.loading} />;
  // A folder cannot go into itself.
  const shown = found.filter(({ id }) => !without.some((entry) => entry.Id === id));
  if (shown.length === 0) return <p className="target-none">{files.noFolders}</p>;
  return (
    <ul className="target-list" key={at}>
      {shown.map(({ id, name }, index) => (
        <li key={id}>
          {/* biome-ignore lint/a11y/noAutofocus: whoever walks by keys goes on from here */}
          <button type="button" autoFocus={index === 0} onClick={() => onOpen(id)}>
            <span className="entry-icon-folder">
              <Icon name="folder" />
            </span>
            <bdi>{name}</bdi>
            <Icon name="next" size={16} />
          </button>
        </li>
      ))}
    </ul>
  );
}
