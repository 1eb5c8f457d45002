// Notifications: shown for a while at the edge of the page and announced to screen readers. Some offer undo.

import { useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';
import { useWords } from '../words/words.tsx';
import { Button, IconButton } from './button.tsx';
import './notices.css';

interface Notice {
  text: string;
  isBad?: boolean;
  /** Shown with a copy button. */
  trackingId?: string | null;
  action?: { label: string; run(): void };
  /** Replaces the one with the same key. */
  key?: string;
}

interface Shown extends Notice {
  id: number;
}

const shownMs = 7000;
const maxShown = 3;
const listeners = new Set<() => void>();
let shown: readonly Shown[] = [];
let said = '';
let lastId = 0;

function set(next: readonly Shown[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Whoever points at notifications, or is in them by keyboard, is not done with them. */
const isInUse = () => document.querySelector('.notices:is(:hover, :has(:focus-visible))') !== null;

/** Shows a notification. Errors and undo stay longer, and all stay while they are in use. */
export function notify(notice: Notice): void {
  lastId += 1;
  const id = lastId;
  said = notice.text;
  const others = shown.filter(({ key }) => key === undefined || key !== notice.key);
  set([...others, { ...notice, id }].slice(-maxShown));
  const leave = () => {
    if (isInUse()) return;
    clearInterval(timer);
    dismiss(id);
  };
  const timer = setInterval(leave, notice.isBad || notice.action !== undefined ? 2 * shownMs : shownMs);
}

/** For screen readers only. */
export function announce(text: string): void {
  said = text;
  set([...shown]);
}

function dismiss(id: number): void {
  if (shown.some((one) => one.id === id)) set(shown.filter((one) => one.id !== id));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where open dialogs show notifications, the topmost dialog last. */
let slots: readonly HTMLElement[] = [];

/** In a dialog, notifications have a place of their own, so that they cover none of its controls. */
export function NoticeSlot() {
  const slot = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = slot;
    if (current === null) return;
    slots = [...slots, current];
    set([...shown]);
    return () => {
      slots = slots.filter((one) => one !== current);
      set([...shown]);
    };
  }, []);
  return <div ref={slot} className="notice-slot" />;
}

export function Notices() {
  const spoken = useSyncExternalStore(subscribe, () => said);
  const slot = useSyncExternalStore(subscribe, () => slots.at(-1) ?? null);
  return (
    <>
      <div className="unseen" role="status" aria-live="polite" data-live-announcer="true">
        {spoken}
      </div>
      {slot === null ? <NoticeList isInDialog={false} /> : createPortal(<NoticeList isInDialog />, slot)}
    </>
  );
}

/** Whether what has the focus, the entry under the cursor or an open menu is beneath the notifications. */
function isInTheWay(list: HTMLElement): boolean {
  const active = document.activeElement;
  const cursor = active?.getAttribute('aria-activedescendant');
  const used = [
    active?.hasAttribute('data-entries') ? null : active,
    cursor ? document.getElementById(cursor) : null,
    ...document.querySelectorAll('.popover, .tray'),
  ];
  const { left, right, height } = list.getBoundingClientRect();
  // As in the style sheet.
  const bottom = window.innerHeight - (window.innerWidth <= 800 ? 76 : 20);
  const top = bottom - height;
  return used.some((one) => {
    if (!one || one === document.body || list.contains(one)) return false;
    const other = one.getBoundingClientRect();
    return other.left < right && other.right > left && other.top < bottom && other.bottom > top;
  });
}

/** Notifications are at the bottom, or at the top where they would cover what is in use. */
function useEdge(count: number) {
  const list = useRef<HTMLElement>(null);
  const [isAtTop, setAtTop] = useState(false);
  useLayoutEffect(() => {
    if (count === 0) return;
    const look = () => setAtTop(list.current !== null && isInTheWay(list.current));
    look();
    const events = ['focusin', 'keyup', 'click', 'resize'] as const;
    for (const event of events) window.addEventListener(event, look);
    return () => {
      for (const event of events) window.removeEventListener(event, look);
    };
  }, [count]);
  return { list, isAtTop };
}

function NoticeList({ isInDialog }: { isInDialog: boolean }) {
  const words = useWords();
  const notices = useSyncExternalStore(subscribe, () => shown);
  const { list, isAtTop } = useEdge(isInDialog ? 0 : notices.length);
  return (
    <section
      ref={list}
      className={isInDialog ? 'notices notices-inside' : 'notices'}
      data-top={isAtTop}
      aria-label={words.shell.notices}
      hidden={notices.length === 0}
    >
      {notices.map(({ id, text, isBad, trackingId, action }) => (
        <div key={id} className={isBad ? 'notice notice-bad' : 'notice'}>
          <div className="notice-text">
            {text}
            {trackingId && <TrackingId id={trackingId} />}
          </div>
          {action !== undefined && (
            <Button
              look="quiet"
              onPress={() => {
                dismiss(id);
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton icon="close" label={words.shell.close} onPress={() => dismiss(id)} />
        </div>
      ))}
    </section>
  );
}

export function TrackingId({ id }: { id: string }) {
  const words = useWords();
  const copy = () =>
    void navigator.clipboard.writeText(id).then(
      () => announce(words.trouble.copied),
      () => undefined,
    );
  return (
    <p className="tracking">
      {words.trouble.tracking} <code>{id}</code>
      <IconButton icon="copy" label={words.trouble.copy} onPress={copy} />
    </p>
  );
}
