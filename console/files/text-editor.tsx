// Edits a text in place: it is saved as a new version, and only over the version that was opened.

import { type Entry, openFile, saveVersion } from '@cabinet/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { codeOf, showError } from '../parts/error-text.ts';
import { notify } from '../parts/notices.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { useWorkWords } from '../words/use-work-words.ts';
import { useWords } from '../words/words.tsx';
import './text-editor.css';

interface Opened {
  /** Null: it is not UTF-8. */
  text: string | null;
  hasCarriageReturns: boolean;
  etag: string;
}

function decode(bytes: Uint8Array, etag: string): Opened {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    // Text areas have line feeds alone.
    return { text: text.replaceAll('\r\n', '\n'), hasCarriageReturns: text.includes('\r\n'), etag };
  } catch {
    return { text: null, hasCarriageReturns: false, etag };
  }
}

/** One dialog from the first moment to the last: a second one could not give the focus back to where the first was opened. */
export function TextEditor({ entry, onClose }: { entry: Entry; onClose(): void }) {
  const { edit } = useWorkWords();
  const [reading, setReading] = useState(0);
  const { data: opened, error } = useOpened(entry, reading);
  /** Null: nothing was typed yet. */
  const [typed, setTyped] = useState<string | null>(null);
  const [question, setQuestion] = useState<'conflict' | 'unsaved' | null>(null);
  const { isBusy, save } = useSave(entry, { onSaved: onClose, onConflict: () => setQuestion('conflict') });
  const isChanged = typed !== null && typed !== opened?.text;
  const send = (isOver = false) => {
    if (opened !== undefined && typed !== null && !isBusy) void save(typed, opened, isOver);
  };
  const readAgain = () => {
    setReading(reading + 1);
    setTyped(null);
    setQuestion(null);
  };
  const actions =
    question === null ? (
      <Button look="main" isDisabled={!isChanged} isBusy={isBusy} onPress={() => send()}>
        {edit.save}
      </Button>
    ) : (
      <Answers
        question={question}
        onYes={() => (question === 'conflict' ? send(true) : setQuestion(null))}
        onNo={question === 'conflict' ? readAgain : onClose}
      />
    );
  return (
    <Dialog
      title={edit.title(entry.Name)}
      isWide
      isAlert
      onClose={() => (isChanged ? setQuestion(question === null ? 'unsaved' : null) : onClose())}
      {...(opened?.text != null && { actions })}
    >
      {question !== null && (
        <p className="editor-question" role="alert">
          {edit[question]}
        </p>
      )}
      {error !== null && <ErrorState error={error} />}
      <EditedText
        opened={opened}
        isFailed={error !== null}
        typed={typed}
        onType={setTyped}
        onSave={() => isChanged && send()}
      />
    </Dialog>
  );
}

function useOpened({ Id }: Entry, reading: number) {
  const { cabinet } = useSession();
  return useQuery({
    queryKey: ['edited', Id, reading],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Opened> => {
      const { stream, etag } = await openFile(cabinet, Id, { signal });
      return decode(new Uint8Array(await new Response(stream).arrayBuffer()), etag);
    },
  });
}

interface EditedTextProps {
  opened: Opened | undefined;
  isFailed: boolean;
  typed: string | null;
  onType(text: string): void;
  onSave(): void;
}

function EditedText({ opened, isFailed, typed, onType, onSave }: EditedTextProps) {
  const words = useWords();
  const { edit } = useWorkWords();
  if (opened === undefined) return isFailed ? null : <Skeleton label={words.files.loading} />;
  if (opened.text === null) return <p>{edit.foreign}</p>;
  return (
    <textarea
      className="input editor"
      aria-label={edit.text}
      spellCheck={false}
      // biome-ignore lint/a11y/noAutofocus: the dialog is opened to type here
      autoFocus
      value={typed ?? opened.text}
      onChange={(event) => onType(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        onSave();
      }}
    />
  );
}

interface AnswersProps {
  question: 'conflict' | 'unsaved';
  onYes(): void;
  onNo(): void;
}

function Answers({ question, onYes, onNo }: AnswersProps) {
  const { edit } = useWorkWords();
  const isConflict = question === 'conflict';
  return (
    <>
      <Button onPress={onNo}>{isConflict ? edit.takeTheirs : edit.discard}</Button>
      <Button look="main" onPress={onYes}>
        {isConflict ? edit.saveAnyway : edit.goOn}
      </Button>
    </>
  );
}

function useSave({ Id, Name, ContentType }: Entry, { onSaved, onConflict }: { onSaved(): void; onConflict(): void }) {
  const words = useWords();
  const { edit } = useWorkWords();
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const save = async (text: string, { etag, hasCarriageReturns }: Opened, isOver: boolean) => {
    setBusy(true);
    try {
      const content = hasCarriageReturns ? text.replaceAll('\n', '\r\n') : text;
      await saveVersion(cabinet, { id: Id, content, contentType: ContentType, ...(!isOver && { ifMatch: etag }) });
      for (const queryKey of [
        ['entry', Id],
        ['versions', Id],
      ])
        void queries.invalidateQueries({ queryKey });
      notify({ text: edit.saved(Name) });
      onSaved();
    } catch (error) {
      if (codeOf(error) === 'PreconditionFailed') onConflict();
      else showError(error, words);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, save };
}
