// English words about files shown in full and their previews; they come with the viewer.

import { numbersIn } from './numbers.ts';

const { number } = numbersIn('en');

export const viewerEn = {
  open: 'Full screen',
  files: 'Files of the list',
  previous: 'Previous file',
  next: 'Next file',
  position: (at: number, of: number, isMore: boolean) => `${number(at)} of ${number(of)}${isMore ? '+' : ''}`,
  close: 'Close',
  details: 'Details',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Fit to the window',
  rotate: 'Rotate to the right',
  zoom: 'Zoom',
  tools: 'View',
  page: (at: number, of: number) => `Page ${number(at)} of ${number(of)}`,
  find: 'Find in the document',
  found: (at: number, of: number, isMore: boolean) => `${number(at)} of ${number(of)}${isMore ? '+' : ''}`,
  notFound: 'Not found',
  searching: 'Searching',
  previousMatch: 'Previous match',
  nextMatch: 'Next match',
  locked: 'The document has a password. Download it to open it.',
  lines: (n: number) => `The first ${number(n)} lines are shown.`,
  table: (rows: number, columns: number) =>
    `${number(rows)} ${rows === 1 ? 'row' : 'rows'}, ${number(columns)} ${columns === 1 ? 'column' : 'columns'}`,
  tablePart: (rows: number, columns: number) =>
    `The first ${number(rows)} rows and ${number(columns)} columns are shown.`,
  reading: (percent: string) => `Reading: ${percent}`,
  row: 'Row',
  extracted: 'Only the text of the document is shown, without its layout and pictures.',
  converted: 'This is a PDF that the server made of the document. Its layout can differ.',
};

export type ViewerWords = typeof viewerEn;
