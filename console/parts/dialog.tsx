// Modal dialogs. On a phone they slide in from the bottom.

import type { ReactNode } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { useWords } from '../words/words.tsx';
import { IconButton } from './button.tsx';
import './dialog.css';

interface DialogProps {
  title: string;
  children: ReactNode;
  /** What stands below: buttons, the one that one most likely wants at the end. */
  actions?: ReactNode;
  isWide?: boolean;
  /** An alert interrupts: it is read out at once. */
  isAlert?: boolean;
  onClose(): void;
}

export function Dialog({ title, children, actions, isWide = false, isAlert = false, onClose }: DialogProps) {
  const words = useWords();
  return (
    <ModalOverlay className="scrim" isOpen isDismissable={!isAlert} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Modal className={isWide ? 'sheet sheet-wide' : 'sheet'}>
        <AriaDialog className="dialog" role={isAlert ? 'alertdialog' : 'dialog'}>
          <header className="dialog-head">
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <IconButton icon="close" label={words.shell.close} onPress={onClose} />
          </header>
          <div className="dialog-body">{children}</div>
          {actions !== undefined && <footer className="dialog-actions">{actions}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
