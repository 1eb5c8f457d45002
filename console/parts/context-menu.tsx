// A menu at a point of the page: by a right click, the menu key, or a finger that is held.

import { type ReactNode, useRef } from 'react';
import { Menu as AriaMenu } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import './menu.css';

export interface Point {
  x: number;
  y: number;
}

interface ContextMenuProps {
  label: string;
  at: Point;
  children: ReactNode;
  onAction(key: string): void;
  onClose(): void;
}

export function ContextMenu({ label, at, children, onAction, onClose }: ContextMenuProps) {
  const anchor = useRef<HTMLSpanElement>(null);
  return (
    <>
      <span ref={anchor} className="menu-anchor" style={{ left: at.x, top: at.y }} />
      <Popover
        key={`${at.x} ${at.y}`}
        className="popover"
        aria-label={label}
        triggerRef={anchor}
        isOpen
        placement="bottom start"
        offset={2}
        onOpenChange={(isOpen) => !isOpen && onClose()}
      >
        <AriaMenu
          className="menu"
          aria-label={label}
          autoFocus="first"
          onAction={(key) => onAction(String(key))}
          onClose={onClose}
        >
          {children}
        </AriaMenu>
      </Popover>
    </>
  );
}
