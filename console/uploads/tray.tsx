// The upload tray at the bottom of the page: progress of each upload and in total, with their actions.

import { type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button, IconButton } from '../parts/button.tsx';
import { explain } from '../parts/error-text.ts';
import { announce } from '../parts/notices.tsx';
import type { Words } from '../words/en.ts';
import { formatDuration, formatSize } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { uploads } from './queue.ts';
import type { Upload, UploadState } from './upload.ts';
import './tray.css';

const maxShown = 100;
const first: readonly UploadState[] = ['running', 'stalled', 'asking', 'failed', 'paused', 'waiting'];

export function UploadTray() {
  const words = useWords();
  useSyncExternalStore(uploads.subscribe, () => uploads.version);
  const [isFolded, setFolded] = useState(false);
  const all = uploads.uploads;
  const { isBusy } = uploads;
  const done = all.filter(({ state }) => state === 'done').length;
  const failed = all.filter(({ state }) => state === 'failed').length;
  useWarning(isBusy);
  const isOver = all.length > 0 && !isBusy;
  const outcome = toOutcome(all, words);
  useEffect(() => {
    if (isOver) announce(outcome);
  }, [isOver, outcome]);
  const tray = useLeaving(isOver && failed === 0);
  if (all.length === 0) return null;
  const counted = all.filter(({ state }) => state !== 'skipped' && state !== 'cancelled');
  const title = isBusy ? words.uploads.running(done, counted.length) : outcome;
  const isPaused = isBusy && !all.some(({ state }) => ['running', 'waiting', 'stalled', 'asking'].includes(state));
  return (
    <section className="tray" aria-label={words.uploads.title} ref={tray}>
      <header className="tray-head">
        <h2>{title}</h2>
        {isBusy && (
          <IconButton
            icon={isPaused ? 'play' : 'pause'}
            label={isPaused ? words.uploads.resumeAll : words.uploads.pauseAll}
            onPress={() => uploads.all(isPaused ? 'resume' : 'pause')}
          />
        )}
        {failed > 0 && <IconButton icon="again" label={words.uploads.retryAll} onPress={() => uploads.all('resume')} />}
        <IconButton
          icon={isFolded ? 'up' : 'down'}
          label={isFolded ? words.uploads.unfold : words.uploads.fold}
          onPress={() => setFolded(!isFolded)}
        />
        <IconButton
          icon="close"
          label={isBusy ? words.uploads.cancelAll : words.uploads.clear}
          onPress={() => (isBusy ? uploads.all('cancel') : uploads.clear())}
        />
      </header>
      {counted.length > 0 && <Total counted={counted} isBusy={isBusy} isMoving={isBusy && !isPaused} />}
      {!isFolded && <Lines all={all} />}
      <ConflictDialog />
    </section>
  );
}

function toOutcome(all: readonly Upload[], { uploads: words }: Words): string {
  const count = (wanted: UploadState) => all.filter(({ state }) => state === wanted).length;
  if (count('failed') > 0) return words.failed(count('failed'));
  if (count('done') > 0 || count('cancelled') === 0) return words.allDone(count('done'));
  return words.allCancelled(count('cancelled'));
}

const leavingMs = 10_000;

/** When everything is over, the tray leaves after a while; not while somebody points at it or is in it by keyboard. A click leaves the
 *  focus behind, which holds nothing. */
function useLeaving(isOver: boolean): RefObject<HTMLElement | null> {
  const tray = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isOver) return;
    const timer = setInterval(() => {
      if (tray.current?.matches(':hover, :has(:focus-visible)') !== true) uploads.clear();
    }, leavingMs);
    return () => clearInterval(timer);
  }, [isOver]);
  return tray;
}

/** Confirms before the page is closed. */
function useWarning(isBusy: boolean): void {
  useEffect(() => {
    if (!isBusy) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isBusy]);
}

interface TotalProps {
  counted: readonly Upload[];
  isBusy: boolean;
  /** False while all are paused. */
  isMoving: boolean;
}

function Total({ counted, isBusy, isMoving }: TotalProps) {
  const words = useWords();
  const total = counted.reduce((sum, { file }) => sum + file.size, 0);
  const sent = counted.reduce((sum, { sentBytes }) => sum + sentBytes, 0);
  const speed = useSpeed(sent, isBusy);
  return (
    <div className="tray-total">
      <Bar label={words.uploads.total} share={total === 0 ? 1 : sent / total} />
      {isMoving && speed > 0 && (
        <p>
          {words.uploads.speed(formatSize(speed, words.locale), formatDuration((total - sent) / speed, words.locale))}
        </p>
      )}
    </div>
  );
}

const windowMs = 5_000;

/** Bytes per second, over the last seconds. */
function useSpeed(sent: number, isBusy: boolean): number {
  const samples = useRef<{ at: number; sent: number }[]>([]);
  const now = Date.now();
  if (!isBusy) samples.current = [];
  else samples.current = [...samples.current.filter(({ at }) => at > now - windowMs), { at: now, sent }];
  const [oldest] = samples.current;
  const seconds = oldest === undefined ? 0 : (now - oldest.at) / 1000;
  return oldest === undefined || seconds < 0.5 ? 0 : Math.max(0, (sent - oldest.sent) / seconds);
}

function Bar({ label, share }: { label: string; share: number }) {
  const percent = Math.round(Math.min(1, share) * 100);
  return (
    <div
      className="progress"
      role="progressbar"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <div style={{ inlineSize: `${percent}%` }} />
    </div>
  );
}

function Lines({ all }: { all: readonly Upload[] }) {
  const rank = ({ state }: Upload) => (first.includes(state) ? first.indexOf(state) : first.length);
  const shown = all.toSorted((a, b) => rank(a) - rank(b) || a.id - b.id).slice(0, maxShown);
  return (
    <ul className="tray-lines">
      {shown.map((upload) => (
        <Line key={upload.id} upload={upload} />
      ))}
    </ul>
  );
}

function Line({ upload }: { upload: Upload }) {
  const words = useWords();
  const { state, name, file, sentBytes, error } = upload;
  const isOver = state === 'done' || state === 'skipped' || state === 'cancelled';
  const problem = state === 'failed' ? explain(error, words) : null;
  return (
    <li className="tray-line" data-state={state}>
      <div className="tray-name">
        <bdi>{name}</bdi>
        <span>{words.uploads.states[state]}</span>
      </div>
      {!isOver && <Bar label={words.uploads.progress(name)} share={file.size === 0 ? 0 : sentBytes / file.size} />}
      {problem !== null && <p className="tray-problem">{problem.text}</p>}
      <LineActions upload={upload} />
    </li>
  );
}

function LineActions({ upload }: { upload: Upload }) {
  const words = useWords();
  const { state, name } = upload;
  const can = (...states: UploadState[]) => states.includes(state);
  return (
    <div className="tray-actions">
      {can('running', 'waiting', 'stalled') && (
        <Button look="quiet" aria-label={`${words.uploads.pause}: ${name}`} onPress={() => uploads.pause(upload)}>
          {words.uploads.pause}
        </Button>
      )}
      {can('paused') && (
        <Button look="quiet" aria-label={`${words.uploads.resume}: ${name}`} onPress={() => uploads.resume(upload)}>
          {words.uploads.resume}
        </Button>
      )}
      {can('failed', 'stalled', 'cancelled') && (
        <Button look="quiet" aria-label={`${words.uploads.retry}: ${name}`} onPress={() => uploads.resume(upload)}>
          {words.uploads.retry}
        </Button>
      )}
      {can('running', 'waiting', 'stalled', 'paused') && (
        <Button look="quiet" aria-label={`${words.uploads.cancel}: ${name}`} onPress={() => uploads.cancel(upload)}>
          {words.uploads.cancel}
        </Button>
      )}
    </div>
  );
}
