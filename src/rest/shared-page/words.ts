// What the pages of links say.

export interface PageWords {
  /** BCP 47. */
  language: string;
  /** How dates and numbers are written. */
  locale: string;
  unusable: { title: string; heading: string; help: string };
  password: { title: string; heading: string; label: string; open: string; wrong: string };
  tooMany: { title: string; heading: string; help: string; again: string };
  /** `date` is HTML. */
  until(date: string): string;
  upload: { choose: string; send: string; needsScript: string };
  folder: { all: string; empty: string; more: string; back(name: string): string };
  download: string;
  downloadOne(name: string): string;
  preview: PreviewWords;
  /** Of the script that sends files; `{name}` is that of the file. */
  sending: SendingWords;
}

export interface PreviewWords {
  none: string;
  empty: string;
  large: string;
  limited: string;
  needsScript: string;
  /** `size` of the beginning that is shown. */
  cut(size: string): string;
  /** Of a PDF. */
  pages: string;
}

export interface SendingWords {
  waiting: string;
  running: string;
  runningOne: string;
  sent: string;
  offline: string;
  lost: string;
  failed: string;
  again: string;
  againOne: string;
  /** By code; otherwise what the service says. */
  refusals: Record<string, string>;
}
