// Form dialogs and confirmations. Errors are shown in the dialog with the tracking id, and the input is kept.

import { type ReactNode, useId, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { explain } from '../parts/error-text.ts';
import { TrackingId } from '../parts/notices.tsx';
import { useWords } from '../words/words.tsx';

interface Sending {
  isBusy: boolean;
  error: unknown;
  send(): void;
}

/** Runs one submission at a time. After success the owner closes the dialog. */
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

interface FormDialogProps {
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
          <Button look="main" type="submit" form={id} isDisabled={!canSend} isBusy={isBusy}>
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
          if (canSend && !isBusy) send();
        }}
      >
        <Problem error={error} />
        {children}
      </form>
    </Dialog>
  );
}

interface ConfirmDialogProps {
  title: string;
  help: string;
  confirm: string;
  onConfirm(): Promise<void>;
  onClose(): void;
}

/** Confirms an action that cannot be undone or that interrupts someone. */
export function ConfirmDialog({ title, help, confirm, onConfirm, onClose }: ConfirmDialogProps) {
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
          <Button look="bad" isBusy={isBusy} onPress={send}>
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
