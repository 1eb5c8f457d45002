// The entries of a folder as a table. Only visible rows are rendered, so a hundred thousand scroll like ten. They are positioned
// absolutely, which a table element does not allow; the ARIA grid has the focus and handles the keys.

import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, useEffect, useRef } from 'react';
import { Icon } from '../parts/icon.tsx';
import { usePreferences } from '../shell/use-preferences.ts';
import { showActor } from '../words/actor.ts';
import { formatSize, formatTime, formatWhen } from '../words/format.ts';
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
import './entry-list.css';

/** Each column, and the order that it stands for. */
const columns = { name: 'natural', modified: 'modified', size: 'size' } as const;
const columnNames = Object.keys(columns) as (keyof typeof columns)[];

function rowHeight(density: string): number {
  if (window.matchMedia('(pointer: coarse)').matches) return 56;
  return density === 'compact' ? 34 : 44;
}

export function EntryList(props: EntriesProps) {
  const { listing, selection, commands } = props;
  const words = useWords();
  const { density } = usePreferences();
  const scroller = useRef<HTMLDivElement>(null);
  const height = rowHeight(density);
  const { entries } = listing;
  const rows = useVirtualizer({
    // Those that are not loaded yet have their room, so that the scroll bar tells how many there are.
    count: listing.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 6,
    scrollPaddingStart: 40,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured anew when the density changes
  useEffect(() => rows.measure(), [height]);
  const shown = rows.getVirtualItems();
  const range = { first: shown[0]?.index ?? 0, last: shown.at(-1)?.index ?? 0 };
  useShownRows(listing, range);
  useFollowedCursor(selection, range, (cursor) => rows.scrollToIndex(cursor, { align: 'auto' }));
  const seen = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / height) - 1);
  return (
    <div
      ref={scroller}
      className="entries"
      role="grid"
      tabIndex={0}
      data-entries
      data-picking={selection.selected.size > 0}
      aria-label={listing.folder?.Name ?? words.shell.files}
      aria-multiselectable="true"
      aria-rowcount={listing.total + 1}
      aria-activedescendant={toRowId(listing.at(selection.cursor))}
      onKeyDown={(event) => {
        if (handleKey(event, selection, commands, { columns: 1, rows: seen })) event.preventDefault();
      }}
      onFocus={(event) => {
        if (selection.cursor === -1 && event.target === event.currentTarget && entries.length > 0) selection.point(0);
      }}
      onClick={(event) => event.target === event.currentTarget && selection.clear()}
      onContextMenu={(event) => openFolderMenu(event, props)}
    >
      <Head {...props} />
      <div role="rowgroup" className="entries-space" style={{ blockSize: rows.getTotalSize() }}>
        {shown.map(({ index, start }) => (
          <Row key={listing.at(index)?.Id ?? index} {...props} index={index} top={start} height={height} />
        ))}
      </div>
    </div>
  );
}

function Head({ order, setOrder, listing, selection, commands }: EntriesProps) {
  const { files } = useWords();
  const by = order.replace('-', '');
  const isDown = order.startsWith('-');
  const isAll = selection.selected.size === listing.total;
  return (
    <div role="row" className="entry-row entries-head">
      <div role="columnheader" className="cell-pick">
        <Pick
          label={files.selectAll}
          state={isAll ? 'true' : selection.selected.size > 0 ? 'mixed' : 'false'}
          onPick={() => (isAll ? selection.clear() : commands.selectAll())}
        />
      </div>
      {columnNames.map((column) => (
        <div
          key={column}
          role="columnheader"
          className={`cell-${column}`}
          aria-sort={by === columns[column] ? (isDown ? 'descending' : 'ascending') : 'none'}
        >
          <button
            type="button"
            tabIndex={-1}
            onClick={() => setOrder(by === columns[column] && !isDown ? `-${columns[column]}` : columns[column])}
          >
            {files[column]}
            {by === columns[column] && <span aria-hidden="true">{isDown ? ' ↓' : ' ↑'}</span>}
          </button>
        </div>
      ))}
      <div role="columnheader" className="cell-more">
        <span className="unseen">{files.actions}</span>
      </div>
    </div>
  );
}

interface PickProps {
  label: string;
  state: 'true' | 'false' | 'mixed';
  onPick(event: MouseEvent): void;
}

/** Selects with the pointer; with keys, the space bar does. */
function Pick({ label, state, onPick }: PickProps) {
  return (
    <button
      type="button"
      role="checkbox"
      tabIndex={-1}
      className="pick"
      aria-label={label}
      aria-checked={state}
      data-checked={state}
      onClick={(event) => {
        event.stopPropagation();
        onPick(event);
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      {state === 'true' && <Icon name="check" size={14} />}
    </button>
  );
}

function Row(props: EntriesProps & { index: number; top: number; height: number }) {
  const { index, selection, commands, renaming, listing } = props;
  const words = useWords();
  const entry = listing.at(index);
  const { isOver, handlers } = useDrop(entry?.Type === 'folder' ? props.dropOn(entry) : null);
  if (entry === undefined) {
    const style = { transform: `translateY(${props.top}px)`, blockSize: props.height };
    return <div role="presentation" className="entry-row entry-row-waiting" style={style} />;
  }
  const isSelected = selection.isSelected(entry.Id);
  const isRenamed = renaming === entry.Id;
  return (
    <div
      role="row"
      id={toRowId(entry)}
      className="entry-row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-cursor={selection.cursor === index}
      data-over={isOver}
      draggable={!isRenamed && props.canWrite}
      style={{ transform: `translateY(${props.top}px)`, blockSize: props.height }}
      onClick={(event) => choose(event, props, index)}
      onContextMenu={(event) => openMenuHere(event, props, index)}
      {...holdForMenu(props, index)}
      onDoubleClick={() => commands.open(entry)}
      onDragStart={(event) => beginDrag(event, isSelected ? selection.chosen : [entry])}
      {...handlers}
    >
      <div role="gridcell" className="cell-pick">
        <Pick
          label={words.files.selectOne(entry.Name)}
          state={isSelected ? 'true' : 'false'}
          onPick={({ shiftKey }) => (shiftKey ? selection.extend(index) : selection.toggle(index))}
        />
      </div>
      <div role="gridcell" className="cell-name">
        <span className={entry.Type === 'folder' ? 'entry-icon entry-icon-folder' : 'entry-icon'}>
          <Thumbnail entry={entry} size={64} iconSize={22} />
        </span>
        {isRenamed ? (
          <RenameField entry={entry} onRename={(name) => props.onRename(entry, name)} onEnd={props.onRenameEnd} />
        ) : (
          <bdi className="entry-name">{entry.Name}</bdi>
        )}
        <EntryBadges
          locks={props.locks.get(entry.Id)}
          isLinked={props.linked.has(entry.Id)}
          isStarred={props.starred.has(entry.Id)}
        />
      </div>
      <div role="gridcell" className="cell-modified">
        <time dateTime={entry.ModifiedAt} title={formatTime(entry.ModifiedAt, words.locale)}>
          {formatWhen(entry.ModifiedAt, words.locale)}
        </time>
        <span className="cell-by">
          {' '}
          {words.files.by} <bdi>{showActor(entry.ModifiedBy, words)}</bdi>
        </span>
      </div>
      <div role="gridcell" className="cell-size">
        {formatSize(entry.Size, words.locale)}
      </div>
      <MenuButton {...props} name={entry.Name} />
    </div>
  );
}

/** For the pointer; keys have the menu key. */
function MenuButton(props: EntriesProps & { index: number; name: string }) {
  const { files } = useWords();
  return (
    <div role="gridcell" className="cell-more">
      <button
        type="button"
        tabIndex={-1}
        className="row-more"
        aria-label={files.menuOf(props.name)}
        aria-haspopup="menu"
        onClick={(event) => {
          event.stopPropagation();
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          openEntryMenu(props, props.index, { x: left, y: bottom });
        }}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        <Icon name="more" size={18} />
      </button>
    </div>
  );
}
