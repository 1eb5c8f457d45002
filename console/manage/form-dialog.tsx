// Dialogs that change something: a form that is sent by Enter or its button, and a question before what cannot be undone.
// What went wrong stands in the dialog, with the tracking id, and what was typed stays.

import { type ReactNode, useId, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TrackingId } from '../parts/notices.tsx';
import { explain } from '../parts/trouble.ts';
import { useWords } from '../words/words.tsx';

interface Sending {
  isBusy: boolean;
  error: unknown;
  send(): void;
}

/** Runs it once at a time; when it has worked, whoever opened the dialog closes it. */
function useSending(run: () => Promise<void>): Sending {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = () => {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    run().catch((failed: unknown) => {
      setError(failed);
      setBusy(false);
    });
  };
  return { isBusy, error, send };
}

export interface FormDialogProps {
  title: string;
  submit: string;
  children: ReactNode;
  /** Whether what is typed can be sent. */
  canSend?: boolean;
  onSend(): Promise<void>;
  onClose(): void;
}

export function FormDialog({ title, submit, children, canSend = true, onSend, onClose }: FormDialogProps) {
  const words = useWords();
  const id = useId();
  const { isBusy, error, send } = useSending(onSend);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{words.shell.cancel}</Button>
          <Button look="main" type="submit" form={id} isDisabled={isBusy || !canSend}>
            {submit}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="manage-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (canSend) send();
        }}
      >
        <Problem error={error} />
        {children}
      </form>
    </Dialog>
  );
}

export interface SureProps {
  title: string;
  help: string;
  confirm: string;
  onConfirm(): Promise<void>;
  onClose(): void;
}

/** Asks before what cannot be undone, or what stops someone's work. */
export function Sure({ title, help, confirm, onConfirm, onClose }: SureProps) {
  const words = useWords();
  const { isBusy, error, send } = useSending(onConfirm);
  return (
    <Dialog
      title={title}
      isAlert
      onClose={onClose}
      actions={
        <>
          <Button autoFocus onPress={onClose}>
            {words.shell.cancel}
          </Button>
          <Button look="bad" isDisabled={isBusy} onPress={send}>
            {confirm}
          </Button>
        </>
      }
    >
      <Problem error={error} />
      <p>{help}</p>
    </Dialog>
  );
}

function Problem({ error }: { error: unknown }) {
  const words = useWords();
  if (error === null) return null;
  const { text, trackingId } = explain(error, words);
  return (
    <div className="manage-problem" role="alert">
      <p>{text}</p>
      {trackingId !== null && <TrackingId id={trackingId} />}
    </div>
  );
}
