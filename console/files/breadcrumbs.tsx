// Where one is, on the tab of the folder: each step leads there and takes what is dropped on it.

import { Fragment } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../routing/link.tsx';
import { useSpaceParams } from '../session/ground.tsx';
import { useWords } from '../words/words.tsx';
import type { Step } from './chain.ts';
import { type DropTarget, useDrop } from './drag.ts';
import './breadcrumbs.css';

export interface BreadcrumbsProps {
  chain: readonly Step[];
  dropOn(step: Step): DropTarget | null;
}

export function Breadcrumbs({ chain, dropOn }: BreadcrumbsProps) {
  const words = useWords();
  return (
    <nav className="crumbs" aria-label={words.files.breadcrumbs}>
      <span className="entry-icon-folder crumbs-icon">
        <Icon name="folder" size={20} />
      </span>
      <ol>
        {chain.map((step, index) => (
          <Fragment key={step.id}>
            {index > 0 && (
              <li aria-hidden="true" className="crumbs-line">
                /
              </li>
            )}
            <li>
              <Crumb step={step} isLast={index === chain.length - 1} dropOn={dropOn} />
            </li>
          </Fragment>
        ))}
      </ol>
    </nav>
  );
}

function Crumb({ step, isLast, dropOn }: { step: Step; isLast: boolean; dropOn: BreadcrumbsProps['dropOn'] }) {
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
