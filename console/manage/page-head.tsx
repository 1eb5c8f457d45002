// What every page for managing begins with: its name, what it is about, and what can be done first.

import type { ReactNode } from 'react';

export function PageHead({ title, lead, children }: { title: string; lead: ReactNode; children?: ReactNode }) {
  return (
    <header className="manage-head">
      <div>
        <h1 id="page-title">{title}</h1>
        {typeof lead === 'string' ? <p>{lead}</p> : lead}
      </div>
      {children !== undefined && <div className="manage-head-actions">{children}</div>}
    </header>
  );
}

/** A word about a state; the words say it, the colour only helps. */
export function Badge({
  look = 'plain',
  children,
}: {
  look?: 'plain' | 'good' | 'bad' | 'manila';
  children: ReactNode;
}) {
  return <span className={`manage-badge manage-badge-${look}`}>{children}</span>;
}
