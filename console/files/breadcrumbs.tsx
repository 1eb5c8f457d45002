// Breadcrumbs: the path to the folder. Each step is a link and a drop target.

import { Fragment } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../routing/link.tsx';
import { useSpaceParams } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import type { Ancestor } from './ancestors.ts';
import { type DropTarget, useDrop } from './drag.ts';
import './breadcrumbs.css';

interface BreadcrumbsProps {
  ancestors: readonly Ancestor[];
  dropOn(step: Ancestor): DropTarget | null;
}

export function Breadcrumbs({ ancestors, dropOn }: BreadcrumbsProps) {
  const words = useWords();
  return (
    <nav className="crumbs" aria-label={words.files.breadcrumbs}>
      <span className="entry-icon-folder crumbs-icon">
        <Icon name="folder" size={20} />
      </span>
      <ol>
        {ancestors.map((step, index) => (
          <Fragment key={step.id}>
            {index > 0 && (
              <li aria-hidden="true" className="crumbs-line">
                /
              </li>
            )}
            <li>
              <Crumb step={step} isLast={index === ancestors.length - 1} dropOn={dropOn} />
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  );
}

function Crumb({ step, isLast, dropOn }: { step: Ancestor; isLast: boolean; dropOn: BreadcrumbsProps['dropOn'] }) {
  const params = useSpaceParams();
  const { isOver, handlers } = useDrop(isLast ? null : dropOn(step));
  return (
    <Link
      to={{ page: 'files', id: step.id, params }}
      className="crumb"
      data-over={isOver}
      aria-current={isLast ? 'page' : undefined}
      {...handlers}
    >
      <bdi>{step.name}</bdi>
    </Link>
  );
}
