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

export function TextEditor({ entry, onClose }: { entry: Entry; onClose(): void }) {
  const words = useWords();
  const { edit } = useWorkWords();
  const { cabinet } = useSession();
  const [reading, setReading] = useState(0);
  const { data, error } = useQuery({
    queryKey: ['edited', entry.Id, reading],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Opened> => {
      const { stream, etag } = await openFile(cabinet, entry.Id, { signal });
      return decode(new Uint8Array(await new Response(stream).arrayBuffer()), etag);
    },
  });
  if (data?.text != null) {
    const { text, ...opened } = data;
    const again = () => setReading(reading + 1);
    return <Editor key={reading} entry={entry} opened={{ ...opened, text }} onReload={again} onClose={onClose} />;
  }
  return (
    <Dialog title={edit.title(entry.Name)} isWide onClose={onClose}>
      {error !== null && <ErrorState error={error} />}
      {data === undefined && error === null && <Skeleton label={words.files.loading} />}
      {data !== undefined && <p>{edit.foreign}</p>}
    </Dialog>
  );
}

interface EditorProps {
  entry: Entry;
  opened: Opened & { text: string };
  onReload(): void;
  onClose(): void;
}

function Editor({ entry, opened, onReload, onClose }: EditorProps) {
  const { edit } = useWorkWords();
  const [text, setText] = useState(opened.text);
  const [question, setQuestion] = useState<'conflict' | 'unsaved' | null>(null);
  const { isBusy, save } = useSave(entry, opened, { onSaved: onClose, onConflict: () => setQuestion('conflict') });
  const isChanged = text !== opened.text;
  const send = (isOver = false) => void save(text, isOver);
  return (
    <Dialog
      title={edit.title(entry.Name)}
      isWide
      isAlert
      onClose={() => (isChanged ? setQuestion(question === null ? 'unsaved' : null) : onClose())}
      actions={
        question === null ? (
          <Button look="main" isDisabled={!isChanged || isBusy} onPress={() => send()}>
            {edit.save}
          </Button>
        ) : (
          <Answers
            question={question}
            onYes={() => (question === 'conflict' ? send(true) : setQuestion(null))}
            onNo={question === 'conflict' ? onReload : onClose}
          />
        )
      }
    >
      {question !== null && (
        <p className="editor-question" role="alert">
          {edit[question]}
        </p>
      )}
      <textarea
        className="input editor"
        aria-label={edit.text}
        spellCheck={false}
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          if (isChanged && !isBusy) send();
        }}
      />
    </Dialog>
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

function useSave(
  { Id, Name, ContentType }: Entry,
  { etag, hasCarriageReturns }: Opened,
  { onSaved, onConflict }: { onSaved(): void; onConflict(): void },
) {
  const words = useWords();
  const { edit } = useWorkWords();
  const { cabinet } = useSession();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const save = async (text: string, isOver: boolean) => {
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
