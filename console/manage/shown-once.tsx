// A dialog that shows a secret or a first password once, with a copy button. It closes only when the user confirms.

import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { CopiedText } from './copied-text.tsx';
import { useManageWords } from './use-manage-words.ts';

interface ShownOnceProps {
  title: string;
  help: string;
  /** What is shown, by its label. */
  lines: readonly { label: string; what: string; text: string }[];
  onClose(): void;
}

export function ShownOnce({ title, help, lines, onClose }: ShownOnceProps) {
  const words = useManageWords();
  return (
    <Dialog
      title={title}
      isAlert
      isKept
      onClose={onClose}
      actions={
        <Button look="main" icon="check" onPress={onClose}>
          {words.done}
        </Button>
      }
    >
      <div className="manage-form">
        <p className="shown-once">
          <Icon name="warning" />
          {help}
        </p>
        <dl className="manage-facts">
          {lines.map(({ label, what, text }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <CopiedText what={what} text={text} />
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </Dialog>
  );
}
