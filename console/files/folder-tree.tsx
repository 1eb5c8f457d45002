// The folder tree in the sidebar: expanded on demand, and along the path to the open folder.

import { createContext, useContext, useEffect, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../routing/link.tsx';
import { useRoute } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import { type Ancestor, useAncestors } from './ancestors.ts';
import { type DropTarget, useDrop } from './drag.ts';
import { useFolderDrop } from './folder-drop.ts';
import { useSubfolders } from './subfolders.ts';
import './folder-tree.css';

interface Shown {
  currentId: string | null;
  /** The folders on the way to it. */
  way: readonly string[];
  dropOn(step: Ancestor): DropTarget | null;
}

const ShownContext = createContext<Shown>({ currentId: null, way: [], dropOn: () => null });

export function FolderTree() {
  const words = useWords();
  const { space } = useSession();
  const { page, id } = useRoute();
  const currentId = page === 'files' ? (id ?? space.RootFolderId) : null;
  const ancestors = useAncestors(currentId ?? space.RootFolderId);
  const dropOn = useFolderDrop(ancestors.at(-1) ?? null);
  return (
    <ShownContext value={{ currentId, way: ancestors.slice(0, -1).map((step) => step.id), dropOn }}>
      <h2 className="tree-title">{words.files.tree}</h2>
      <ul className="tree" aria-label={words.files.tree}>
        <Node step={{ id: space.RootFolderId, name: space.Name }} level={0} />
      </ul>
    </ShownContext>
  );
}

function Node({ step, level }: { step: Ancestor; level: number }) {
  const words = useWords();
  const params = useSpaceParams();
  const { currentId, way, dropOn } = useContext(ShownContext);
  const isOnWay = way.includes(step.id);
  const [isOpen, setOpen] = useState(level === 0);
  useEffect(() => {
    if (isOnWay) setOpen(true);
  }, [isOnWay]);
  const inside = useSubfolders(step.id, isOpen);
  const { isOver, handlers } = useDrop(dropOn(step));
  return (
    <li>
      <div className="tree-line" data-over={isOver} style={{ paddingInlineStart: level * 14 }} {...handlers}>
        <button
          type="button"
          className="tree-toggle"
          aria-label={words.files.expand(step.name)}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="next" size={14} />
        </button>
        <Link
          className="tree-link"
          to={{ page: 'files', id: step.id, params }}
          aria-current={currentId === step.id ? 'page' : undefined}
        >
          <span className="entry-icon-folder tree-icon">
            <Icon name="folder" size={17} />
          </span>
          <bdi>{step.name}</bdi>
        </Link>
      </div>
      {isOpen && inside !== null && inside.length > 0 && (
        <ul className="tree">
          {inside.map((one) => (
            <Node key={one.id} step={one} level={level + 1} />
          ))}
        </ul>
      )}
    </li>
  );
}
