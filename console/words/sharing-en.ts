// English words about sharing; they come with the dialog and the page.

import { linksEn } from './links-en.ts';

export const sharingEn = {
  links: linksEn,
  title: (name: string) => `Share “${name}”`,
  help: 'Whoever has access to a folder has access to everything in it.',
  who: 'Who has access',
  nobody: 'Nobody but the managers of the space.',
  kind: 'With',
  kinds: { user: 'A person', group: 'A group' },
  name: { user: 'User id', group: 'Name of the group' },
  role: 'May',
  roles: { viewer: 'View', editor: 'Edit', manager: 'Manage' },
  share: 'Share',
  shared: (name: string) => `Shared with ${name}`,
  stop: (name: string) => `Stop sharing with ${name}`,
  stopped: (name: string) => `No longer shared with ${name}`,
  onlyManagers: 'Only managers of the space share with people and groups.',
  bySpace: 'member of the space',
  here: 'shared here',
  above: (path: string) => `shared with ${path}`,
  group: (name: string) => `Group ${name}`,
  page: 'Shared with me',
  nothing: 'Nothing is shared with you',
  nothingHelp: 'What people share with you, or with a group that you are in, is listed here.',
  in: (space: string) => `in ${space}`,
  by: (name: string, when: string) => `shared by ${name}, ${when}`,
};

export type SharingWords = typeof sharingEn;
