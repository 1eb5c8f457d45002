// What menus and the toolbar of a folder do, and where a menu is open.

import type { Point } from '../parts/context-menu.tsx';

export type Action =
  | 'newFolder'
  | 'open'
  | 'download'
  | 'rename'
  | 'move'
  | 'copy'
  | 'share'
  | 'remove'
  | 'details'
  | 'facts'
  | 'versions'
  | 'requestFiles'
  | 'requestFilesHere'
  | 'edit'
  | 'star'
  | 'unstar'
  | 'upload'
  | 'paste'
  | 'selectAll'
  | 'downloadFolder';

/** The menu at a point: of the selected entries, or of the folder. */
export interface OpenMenu {
  at: Point;
  isOfFolder: boolean;
}
