// Placeholders: skeletons while loading, empty states, and errors with a retry and the tracking id.

import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { explain } from './error-text.ts';
import { Icon, type IconName } from './icon.tsx';
import { TrackingId } from './notices.tsx';
import './states.css';

export function Skeleton({ rows = 8, label }: { rows?: number; label: string }) {
  return (
    <div className="skeleton" role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows that are all alike and never move
        <div key={row} className="skeleton-row" style={{ inlineSize: `${88 - ((row * 17) % 46)}%` }} />
      ))}
    </div>
  );
}

interface EmptyProps {
  icon: IconName;
  title: string;
  /** 1: the page has no other heading. */
  level?: 1 | 2;
  children?: ReactNode;
}

export function Empty({ icon, title, level = 2, children }: EmptyProps) {
  const Title = `h${level}` as const;
  return (
    <div className="empty">
      <span className="empty-tab">
        <Icon name={icon} size={34} />
      </span>
      <Title>{title}</Title>
      {children}
    </div>
  );
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const words = useWords();
  const { text, trackingId } = explain(error, words);
  return (
    <div className="trouble" role="alert">
      <Icon name="warning" size={26} />
      <div>
        <h2>{words.trouble.title}</h2>
        <p>{text}</p>
        {trackingId !== null && <TrackingId id={trackingId} />}
        {onRetry !== undefined && (
          <Button icon="again" onPress={onRetry}>
            {words.trouble.retry}
          </Button>
        )}
      </div>
    </div>
  );
}
