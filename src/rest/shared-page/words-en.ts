// English words of the pages of links.

import type { PageWords } from './words.ts';

export const en: PageWords = {
  language: 'en',
  locale: 'en-GB',
  unusable: {
    title: 'No such link',
    heading: 'This link does not work',
    help: 'It is unknown, or can no longer be used. Ask whoever sent it for a new one.',
  },
  password: {
    title: 'Password',
    heading: 'This link needs a password',
    label: 'Password',
    open: 'Open',
    wrong: 'The password is wrong.',
  },
  tooMany: {
    title: 'Too many requests',
    heading: 'Too many attempts',
    help: 'Wait a minute, then try again.',
    again: 'Try again',
  },
  until: (date) => `This link works until ${date}.`,
  upload: { choose: 'Files to send', send: 'Send', needsScript: 'Sending files needs JavaScript.' },
  folder: {
    all: 'Download everything',
    empty: 'This folder is empty.',
    more: 'Show more',
    back: (name) => `Back to ${name}`,
  },
  download: 'Download',
  downloadOne: (name) => `Download ${name}`,
  preview: {
    none: 'No preview available. Download the file to open it.',
    empty: 'This file is empty.',
    large: 'The file is too large for a preview.',
    limited: 'There is no preview, because this link limits the number of downloads.',
    needsScript: 'The preview needs JavaScript.',
    cut: (size) => `Only the first ${size} are shown.`,
    pages: 'Only the first 30 pages are shown.',
  },
  sending: {
    waiting: 'Waiting',
    running: 'Sending',
    runningOne: 'Sending {name}',
    sent: 'Sent',
    offline: 'Waiting for the connection',
    lost: 'The connection was lost',
    failed: 'Not sent',
    again: 'Try again',
    againOne: 'Try again: {name}',
    refusals: {},
  },
};
