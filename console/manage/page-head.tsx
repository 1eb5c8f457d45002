// The head of every admin page: title, description, main action.

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

/** A status label; its colour is only a hint. */
export function Badge({
  look = 'plain',
  children,
}: {
  look?: 'plain' | 'good' | 'bad' | 'manila';
  children: ReactNode;
}) {
  return <span className={`manage-badge manage-badge-${look}`}>{children}</span>;
}
