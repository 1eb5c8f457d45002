// One section of the account page: a heading, what it is about, and its main action.

import { type ReactNode, useId } from 'react';

interface SectionProps {
  title: string;
  lead: string;
  action?: ReactNode;
  children?: ReactNode;
}

export function Section({ title, lead, action, children }: SectionProps) {
  const id = useId();
  return (
    <section className="manage-section" aria-labelledby={id}>
      <header className="section-head">
        <div>
          <h2 id={id}>{title}</h2>
          <p>{lead}</p>
        </div>
        {action}
      </header>
      {children}
    </section>
  );
}
