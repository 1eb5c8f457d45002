// The toolbar: actions on the folder, or on the selection if there is one.

import { useRef } from 'react';
import { Button, IconButton } from '../parts/button.tsx';
import { Menu, MenuItem } from '../parts/menu.tsx';
import { prefer } from '../shell/preferences.ts';
import { usePreferences } from '../shell/use-preferences.ts';
import { type DroppedFiles, gatherChosen } from '../uploads/dropped-files.ts';
import { useWords } from '../words/words.tsx';
import { useEntryItems } from './entry-menu.tsx';
import type { Action } from './folder-action.ts';
import type { Order } from './listing.ts';
import type { Selection } from './selection.ts';
import './toolbar.css';

interface ToolbarProps {
  selection: Selection;
  /** What is in the folder, in words. */
  count: string;
  order: Order;
  canWrite: boolean;
  starred: ReadonlySet<string>;
  setOrder(order: Order): void;
  onUpload(given: DroppedFiles): void;
  onAction(action: Action): void;
}

export function Toolbar(props: ToolbarProps) {
  const { files } = useWords();
  const { selection, order, setOrder, canWrite, count } = props;
  const { view } = usePreferences();
  const hasSelection = selection.selected.size > 0;
  return (
    <div className="toolbar" role="toolbar" aria-label={files.actions}>
      {hasSelection ? <SelectionActions {...props} /> : canWrite && <FolderActions {...props} />}
      {!hasSelection && !canWrite && <span className="toolbar-note">{files.readOnly}</span>}
      <span className="toolbar-count">{hasSelection ? files.selected(selection.selected.size) : count}</span>
      <Menu
        label={files.sort}
        trigger={<IconButton icon="sort" label={files.sort} />}
        onAction={(key) => setOrder(key as Order)}
      >
        {Object.entries(files.orders).map(([one, label]) => (
          <MenuItem key={one} id={one} isChosen={one === order}>
            {label}
          </MenuItem>
        ))}
      </Menu>
      <IconButton
        icon={view === 'list' ? 'grid' : 'list'}
        label={view === 'list' ? files.grid : files.list}
        onPress={() => prefer({ view: view === 'list' ? 'grid' : 'list' })}
      />
      <IconButton icon="info" label={files.details} onPress={() => props.onAction('details')} />
    </div>
  );
}

function FolderActions({ onUpload, onAction }: ToolbarProps) {
  const { files } = useWords();
  const fileField = useRef<HTMLInputElement>(null);
  const folderField = useRef<HTMLInputElement>(null);
  const take = (field: HTMLInputElement) => {
    onUpload(gatherChosen(field.files ?? []));
    field.value = '';
  };
  return (
    <>
      <Button look="main" icon="upload" onPress={() => fileField.current?.click()}>
        {files.upload}
      </Button>
      <Button icon="plus" onPress={() => onAction('newFolder')}>
        {files.newFolder}
      </Button>
      <Menu
        label={files.add}
        trigger={<IconButton icon="more" label={files.add} />}
        onAction={(key) => {
          if (key === 'uploadFolder') folderField.current?.click();
          else onAction(key as Action);
        }}
      >
        <MenuItem id="uploadFolder" icon="upload">
          {files.uploadFolder}
        </MenuItem>
        <MenuItem id="requestFilesHere" icon="upload">
          {files.requestFiles}
        </MenuItem>
        <MenuItem id="downloadFolder" icon="download">
          {files.downloadZip}
        </MenuItem>
      </Menu>
      <input ref={fileField} type="file" multiple hidden data-files onChange={(event) => take(event.target)} />
      <input
        ref={folderField}
        type="file"
        hidden
        data-folder
        {...{ webkitdirectory: '' }}
        onChange={(event) => take(event.target)}
      />
    </>
  );
}

function SelectionActions({ selection, canWrite, starred, onAction }: ToolbarProps) {
  const { files } = useWords();
  const items = useEntryItems({ entries: selection.chosen, canWrite, starred });
  // The labels are the same for one and for several: a button that moves under the pointer is hit by mistake.
  return (
    <>
      <IconButton icon="close" label={files.clearSelection} onPress={() => selection.clear()} />
      <Button icon="download" onPress={() => onAction('download')}>
        {files.download}
      </Button>
      {canWrite && (
        <>
          <Button icon="move" onPress={() => onAction('move')}>
            {files.move}
          </Button>
          <Button icon="trash" onPress={() => onAction('remove')}>
            {files.delete}
          </Button>
        </>
      )}
      <Menu
        label={files.actions}
        trigger={<IconButton icon="more" label={files.actions} />}
        onAction={(key) => onAction(key as Action)}
      >
        {items}
      </Menu>
    </>
  );
}
