// English: editing texts, comments on versions, several entries of the trash, the list of changes.

import { numbersIn } from './numbers.ts';

const { count, number } = numbersIn('en');

export const en = {
  edit: {
    title: (name: string) => `Edit ${name}`,
    text: 'Text',
    save: 'Save',
    saved: (name: string) => `“${name}” saved as a new version`,
    foreign: 'This file is not in UTF-8. Download it to edit it.',
    conflict:
      'Somebody saved this file while you were editing. Their text is kept among the versions if you save yours.',
    saveAnyway: 'Save mine as the newest version',
    takeTheirs: 'Discard mine and load theirs',
    unsaved: 'Your changes are not saved.',
    discard: 'Discard changes',
    goOn: 'Go on editing',
  },
  comment: {
    add: 'Comment',
    change: 'Change the comment',
    label: (version: number) => `Comment on version ${version}`,
    hint: 'What is new in this version',
    save: 'Save the comment',
    saved: 'Comment saved',
  },
  trash: {
    filter: 'Find in the trash',
    select: (name: string) => `Select ${name}`,
    selectAll: 'Select all that are shown',
    restore: (n: number) => `Restore ${count(n, 'item', 'items')}`,
    restored: (n: number) => `${count(n, 'item is', 'items are')} back`,
    remove: (n: number) => `Remove ${count(n, 'item', 'items')} for good`,
    sure: (n: number) => `Remove ${count(n, 'item', 'items')} for good?`,
    none: 'Nothing in the trash has this name',
  },
  changes: {
    today: 'Today',
    yesterday: 'Yesterday',
    several: (n: number) => `${count(n, 'item', 'items')}: `,
    more: (n: number) => `and ${number(n)} more`,
    in: 'in',
  },
  search: {
    chips: 'Filters in use',
    remove: (filter: string) => `Remove the filter ${filter}`,
  },
};

export type WorkWords = typeof en;
