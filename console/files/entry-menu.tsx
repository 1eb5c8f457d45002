// What can be done with the selected entries: in the menu of the toolbar, of a row, and by a right click.

import type { Entry } from '@cabinet/client';
import { useMemo } from 'react';
import { ContextMenu } from '../parts/context-menu.tsx';
import type { IconName } from '../parts/icon.tsx';
import { MenuItem, MenuLine } from '../parts/menu.tsx';
import type { Words } from '../words/en.ts';
import { useWords } from '../words/words.tsx';
import { isEditable } from './editable.ts';
import type { Action, OpenMenu } from './folder-action.ts';

interface Item {
  action: Action | 'line';
  icon?: IconName;
  label: string;
  keys?: string;
  isBad?: boolean;
}

interface Chosen {
  entries: readonly Entry[];
  canWrite: boolean;
  starred: ReadonlySet<string>;
}

function listItems({ entries, canWrite, starred }: Chosen, { files, details }: Words): Item[] {
  const one = entries.length === 1 ? entries[0] : undefined;
  const isStarred = entries.every(({ Id }) => starred.has(Id));
  const isZip = one === undefined || one.Type === 'folder';
  const single: Item[] = [
    { action: 'open', icon: 'next', label: files.open, keys: 'Enter' },
    { action: 'facts', icon: 'info', label: files.details, keys: 'I' },
    ...(one?.Type === 'file' ? [{ action: 'versions', icon: 'clock', label: details.versions } as const] : []),
    { action: 'share', icon: 'user', label: files.share },
    ...(one?.Type === 'folder' && canWrite
      ? [{ action: 'requestFiles', icon: 'upload', label: files.requestFiles } as const]
      : []),
  ];
  const any: Item[] = [
    { action: 'download', icon: 'download', label: isZip ? files.downloadZip : files.download },
    isStarred
      ? { action: 'unstar', icon: 'star', label: files.unstar, keys: 'S' }
      : { action: 'star', icon: 'star', label: files.star, keys: 'S' },
  ];
  const changing: Item[] = [
    { action: 'line', label: '' },
    ...(one !== undefined && isEditable(one) ? [{ action: 'edit', icon: 'text', label: files.edit } as const] : []),
    ...(one === undefined ? [] : [{ action: 'rename', icon: 'pencil', label: files.rename, keys: 'F2' } as const]),
    { action: 'move', icon: 'move', label: files.move, keys: 'Ctrl X' },
    { action: 'copy', icon: 'copy', label: files.copy, keys: 'Ctrl C' },
    { action: 'remove', icon: 'trash', label: files.delete, keys: 'Del', isBad: true },
  ];
  return [...(one === undefined ? [] : single), ...any, ...(canWrite ? changing : [])];
}

/** Of the folder itself: where there is no entry. */
function listFolderItems(canWrite: boolean, { files }: Words): Item[] {
  const changing: Item[] = [
    { action: 'upload', icon: 'upload', label: files.upload },
    { action: 'newFolder', icon: 'plus', label: files.newFolder, keys: 'N' },
    { action: 'paste', icon: 'copy', label: files.paste, keys: 'Ctrl V' },
    { action: 'requestFilesHere', icon: 'upload', label: files.requestFiles },
    { action: 'line', label: '' },
  ];
  return [
    ...(canWrite ? changing : []),
    { action: 'selectAll', icon: 'check', label: files.selectAll, keys: 'Ctrl A' },
    { action: 'downloadFolder', icon: 'download', label: files.downloadZip },
  ];
}

function renderItems(items: readonly Item[]) {
  return items.map(({ action, label, ...rest }) =>
    action === 'line' ? (
      <MenuLine key={action} />
    ) : (
      <MenuItem key={action} id={action} {...rest}>
        {label}
      </MenuItem>
    ),
  );
}

/** The items for a menu of the entries. */
export function useEntryItems({ entries, canWrite, starred }: Chosen) {
  const words = useWords();
  return useMemo(
    () => renderItems(listItems({ entries, canWrite, starred }, words)),
    [entries, canWrite, starred, words],
  );
}

interface EntryMenuProps extends Chosen {
  menu: OpenMenu;
  onAction(action: Action): void;
  onClose(): void;
}

export function EntryMenu({ menu, onAction, onClose, ...chosen }: EntryMenuProps) {
  const words = useWords();
  const items = menu.isOfFolder ? listFolderItems(chosen.canWrite, words) : listItems(chosen, words);
  const [one] = chosen.entries;
  const label = menu.isOfFolder
    ? words.files.folder
    : chosen.entries.length === 1
      ? words.files.menuOf(one?.Name ?? '')
      : words.files.selected(chosen.entries.length);
  return (
    <ContextMenu label={label} at={menu.at} onAction={(key) => onAction(key as Action)} onClose={onClose}>
      {renderItems(items)}
    </ContextMenu>
  );
}
