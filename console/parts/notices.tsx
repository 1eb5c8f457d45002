// Notifications: shown for a while at the edge of the page and announced to screen readers. Some offer undo.

import { useSyncExternalStore } from 'react';
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

/** Shows a notification. Errors and undo stay longer. */
export function notify(notice: Notice): void {
  lastId += 1;
  const id = lastId;
  said = notice.text;
  const others = shown.filter(({ key }) => key === undefined || key !== notice.key);
  set([...others, { ...notice, id }].slice(-maxShown));
  setTimeout(() => dismiss(id), notice.isBad || notice.action !== undefined ? 2 * shownMs : shownMs);
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

export function Notices() {
  const words = useWords();
  const notices = useSyncExternalStore(subscribe, () => shown);
  const spoken = useSyncExternalStore(subscribe, () => said);
  return (
    <>
      <div className="unseen" role="status" aria-live="polite">
        {spoken}
      </div>
      <section className="notices" aria-label={words.trouble.title} hidden={notices.length === 0}>
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
    </>
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
