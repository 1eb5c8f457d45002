// The entries of a folder as tiles, images with a thumbnail. Only visible rows are rendered.

import type { Entry } from '@cabinet/client';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { formatSize } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { beginDrag, useDrop } from './drag.ts';
import { EntryBadges } from './entry-badges.tsx';
import { RenameField } from './entry-name.tsx';
import { handleKey } from './keys.ts';
import {
  choose,
  type EntriesProps,
  holdForMenu,
  openEntryMenu,
  openFolderMenu,
  openMenuHere,
  toRowId,
  useFollowedCursor,
  useShownRows,
} from './list-shared.ts';
import { Thumbnail } from './thumbnail.tsx';
import './entry-tiles.css';

const minWidth = 168;
const tileHeight = 176;

export function EntryTiles(props: EntriesProps) {
  const { listing, selection, commands } = props;
  const words = useWords();
  const scroller = useRef<HTMLDivElement>(null);
  const [columns, setColumns] = useState(4);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const watch = new ResizeObserver(() => setColumns(Math.max(2, Math.floor((element.clientWidth - 24) / minWidth))));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const { entries } = listing;
  const count = Math.ceil(listing.total / columns);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => tileHeight,
    overscan: 1,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  /** Of the tiles that are shown. They lie in one grid, so that one whose row changes stays the same, with what is typed in it. */
  const first = (shown[0]?.index ?? 0) * columns;
  const range = { first, last: (last + 1) * columns - 1 };
  useShownRows(listing, range);
  useFollowedCursor(selection, range, (cursor) => rows.scrollToIndex(Math.floor(cursor / columns), { align: 'auto' }));
  const tiles = Array.from({ length: Math.min(listing.total, range.last + 1) - first }, (_, index) => first + index);
  return (
    <div
      ref={scroller}
      className="entries tiles"
      role="listbox"
      tabIndex={0}
      data-entries
      data-picking={selection.selected.size > 0}
      aria-label={listing.folder?.Name ?? words.shell.files}
      aria-multiselectable="true"
      aria-activedescendant={toRowId(listing.at(selection.cursor))}
      onKeyDown={(event) => {
        if (handleKey(event, selection, commands, { columns, rows: 3 })) event.preventDefault();
      }}
      onFocus={(event) => {
        if (selection.cursor === -1 && event.target === event.currentTarget && entries.length > 0) selection.point(0);
      }}
      onContextMenu={(event) => openFolderMenu(event, props)}
    >
      <div className="entries-space" role="presentation" style={{ blockSize: rows.getTotalSize() }}>
        <div
          role="presentation"
          className="tiles-shown"
          style={{
            transform: `translateY(${shown[0]?.start ?? 0}px)`,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
          }}
        >
          {tiles.map((index) => {
            const entry = listing.at(index);
            if (entry === undefined) return <div key={index} role="presentation" className="tile-waiting" />;
            return <Tile key={entry.Id} {...props} entry={entry} index={index} />;
          })}
        </div>
      </div>
    </div>
  );
}

function Tile(props: EntriesProps & { entry: Entry; index: number }) {
  const { entry, index, selection, commands, renaming } = props;
  const words = useWords();
  const { isOver, handlers } = useDrop(entry.Type === 'folder' ? props.dropOn(entry) : null);
  const isSelected = selection.isSelected(entry.Id);
  const isRenamed = renaming === entry.Id;
  return (
    <div
      role="option"
      id={toRowId(entry)}
      className="tile"
      aria-selected={isSelected}
      data-cursor={selection.cursor === index}
      data-over={isOver}
      draggable={!isRenamed && props.canWrite}
      onClick={(event) => choose(event, props, index)}
      onContextMenu={(event) => openMenuHere(event, props, index)}
      {...holdForMenu(props, index)}
      onDoubleClick={() => commands.open(entry)}
      onDragStart={(event) => beginDrag(event, isSelected ? selection.chosen : [entry])}
      {...handlers}
    >
      <span className={entry.Type === 'folder' ? 'tile-view entry-icon-folder' : 'tile-view'}>
        <Thumbnail entry={entry} size={256} iconSize={44} />
      </span>
      {isRenamed ? (
        <RenameField entry={entry} onRename={(name) => props.onRename(entry, name)} onEnd={props.onRenameEnd} />
      ) : (
        <bdi className="tile-name">{entry.Name}</bdi>
      )}
      <EntryBadges
        locks={props.locks.get(entry.Id)}
        isLinked={props.linked.has(entry.Id)}
        isStarred={props.starred.has(entry.Id)}
      />
      <span className="tile-size">{formatSize(entry.Size, words.locale)}</span>
      <TileTools {...props} />
    </div>
  );
}

/** For the pointer: keys have the space bar and the menu key, and a screen reader says whether a tile is selected. */
function TileTools(props: EntriesProps & { entry: Entry; index: number }) {
  const { entry, index, selection } = props;
  const isSelected = selection.isSelected(entry.Id);
  return (
    <span className="tile-tools" aria-hidden="true">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: an option holds no controls */}
      <span
        className="pick"
        data-checked={isSelected}
        onClick={(event) => {
          event.stopPropagation();
          if (event.shiftKey) selection.extend(index);
          else selection.toggle(index);
        }}
      >
        {isSelected && <Icon name="check" size={14} />}
      </span>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same */}
      <span
        className="row-more"
        onClick={(event) => {
          event.stopPropagation();
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          openEntryMenu(props, index, { x: left, y: bottom });
        }}
      >
        <Icon name="more" size={18} />
      </span>
    </span>
  );
}
