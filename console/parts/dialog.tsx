// Modal dialogs. On a phone they slide in from the bottom.

import type { ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { useWords } from '../words/words.tsx';
import { IconButton } from './button.tsx';
import { NoticeSlot } from './notices.tsx';
import './dialog.css';

interface DialogProps {
  title: string;
  children: ReactNode;
  /** What stands below: buttons, the one that one most likely wants at the end. */
  actions?: ReactNode;
  isWide?: boolean;
  /** An alert interrupts: it is read out at once. */
  isAlert?: boolean;
  /** It stays at Escape: what it shows cannot be seen again. */
  isKept?: boolean;
  onClose(): void;
}

export function Dialog(props: DialogProps) {
  const { title, children, actions, isWide = false, isAlert = false, isKept = false, onClose } = props;
  const words = useWords();
  return (
    <ModalOverlay
      className="scrim"
      isOpen
      isDismissable={!isAlert}
      isKeyboardDismissDisabled={isKept}
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <Modal className={isWide ? 'sheet sheet-wide' : 'sheet'}>
        <AriaDialog className="dialog" role={isAlert ? 'alertdialog' : 'dialog'}>
          <header className="dialog-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            {!isKept && <IconButton icon="close" label={words.shell.close} onPress={onClose} />}
          </header>
          <div className="dialog-body">{children}</div>
          <NoticeSlot />
          {actions !== undefined && <footer className="dialog-actions">{actions}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
