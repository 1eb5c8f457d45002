// The pages of links: plain HTML that works without script, but for sending files and for previews of text and PDF; on phones, in
// light and dark mode and with screen readers; in the language of the browser. All names are escaped.

import { escapeHtml } from '../../auth/pages.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Share } from '../../domain/share.ts';
import { isShown, renderPreview } from './previews.ts';
import type { PageWords } from './words.ts';

/** Of every page: nothing inline, nothing from elsewhere. */
export const sharedPageHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  Vary: 'Accept-Language',
};

/** Where the pages and the bytes of a link are. */
export interface PagePaths {
  /** Of the script and the style. */
  files: string;
  /** `/s/{secret}`. */
  page: string;
  /** `/v1/contentmanagement/shared/{secret}`. */
  content: string;
  /** The scripts that the console was built with. Null: it was not. */
  markdown: string | null;
  pdf: string | null;
}

/** Of one page. */
export interface PageContext {
  paths: PagePaths;
  words: PageWords;
}

function layout({ paths, words }: PageContext, title: string, content: string, scripts: string[] = []): string {
  const sources = scripts.map((source) => `\n<script src="${source}" type="module"></script>`).join('');
  return `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} – Cabinet</title>
<link rel="icon" href="${paths.files}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${paths.files}/page.css">${sources}
</head>
<body>
<header>${mark}Cabinet</header>
<main>
${content}
</main>
</body>
</html>
`;
}

/** A cabinet with a folder in its upper drawer, as in the console. */
const mark = `<svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect x="4" y="3" width="24" height="26" rx="4" fill="#17594a"/>
<path d="M8 7h7l1.5 2H24v6H8z" fill="#f2c66d"/><rect x="8" y="17" width="16" height="8" rx="1.5" fill="#fffdf8"/>
<rect x="13" y="20" width="6" height="2" rx="1" fill="#17594a"/></svg>`;

export function renderNoShare(page: PageContext): string {
  const { title, heading, help } = page.words.unusable;
  return layout(page, title, `<h1>${heading}</h1>\n<p>${help}</p>\n<p class="soft">ShareNotFound</p>`);
}

export function renderTooMany(page: PageContext): string {
  const { title, heading, help, again } = page.words.tooMany;
  const link = `<p><a href="${page.paths.page}">${again}</a></p>`;
  return layout(page, title, `<h1>${heading}</h1>\n<p class="problem" role="alert">${help}</p>\n${link}`);
}

export function renderPasswordForm(page: PageContext, { isWrong }: { isWrong: boolean }): string {
  const { title, heading, label, open, wrong } = page.words.password;
  const problem = isWrong ? `<p class="problem" role="alert">${wrong}</p>\n` : '';
  return layout(
    page,
    title,
    `<h1>${heading}</h1>
${problem}<form method="post" action="${page.paths.page}">
<label for="password">${label}</label>
<input id="password" name="password" type="password" autocomplete="off" maxlength="256" required autofocus>
<button>${open}</button>
</form>`,
  );
}

function renderHead({ words }: PageContext, { name, note, expiresAt }: Share, heading = name): string {
  const text = note === null ? '' : `\n<p class="note">${escapeHtml(note)}</p>`;
  const end = new Date(expiresAt);
  const day = end.toLocaleDateString(words.locale, { dateStyle: 'long', timeZone: 'UTC' });
  const until = words.until(`<time datetime="${end.toISOString()}">${day}</time>`);
  return `<h1>${escapeHtml(heading)}</h1>${text}\n<p class="soft">${until}</p>`;
}

export function renderUploadPage(page: PageContext, share: Share): string {
  const { paths, words } = page;
  const { choose, send, needsScript } = words.upload;
  const texts = escapeHtml(JSON.stringify(words.sending));
  return layout(
    page,
    share.name,
    `${renderHead(page, share)}
<form data-uploads="${paths.content}/uploads" data-words="${texts}" method="post">
<label for="files">${choose}</label>
<input id="files" type="file" multiple required>
<button>${send}</button>
</form>
<ul data-list aria-live="polite"></ul>
<noscript><p class="problem">${needsScript}</p></noscript>`,
    [`${paths.files}/upload.js`],
  );
}

interface FolderView {
  share: Share;
  folder: Entry;
  /** Whether it is the shared folder itself. */
  isTop: boolean;
  children: readonly Entry[];
  /** The query of the next page; null: this is the last one. */
  next: string | null;
}

export function renderFolderPage(page: PageContext, { share, folder, isTop, children, next }: FolderView): string {
  const { paths, words } = page;
  const items = children.map((child) => renderItem(page, share, child)).join('\n');
  const all = isTop ? `<a class="button" href="${paths.content}/archive" download>${words.folder.all}</a>` : '';
  const here = isTop ? paths.page : `${paths.page}/folders/${folder.id}`;
  const more = next === null ? '' : `\n<p><a href="${here}?${escapeHtml(next)}">${words.folder.more}</a></p>`;
  const list = children.length === 0 ? `<p>${words.folder.empty}</p>` : `<ul class="entries">\n${items}\n</ul>`;
  const heading = isTop ? share.name : folder.name;
  const up = isTop ? '' : renderUp(page, share);
  return layout(page, heading, `${up}${renderHead(page, share, heading)}\n${all}\n${list}${more}`);
}

function renderUp({ paths, words }: PageContext, { name }: Share): string {
  return `<nav><a href="${paths.page}">${escapeHtml(words.folder.back(name))}</a></nav>\n`;
}

function renderItem(page: PageContext, share: Share, entry: Entry): string {
  const { paths, words } = page;
  const name = escapeHtml(entry.name);
  if (entry.kind === 'folder') {
    return `<li>${icons.folder}<a class="name" href="${paths.page}/folders/${entry.id}">${name}/</a></li>`;
  }
  const shown = isShown(share, entry)
    ? `<a class="name" href="${paths.page}/files/${entry.id}">${name}</a>`
    : `<span class="name">${name}</span>`;
  const size = `<span class="soft size">${toSize(words, entry.sizeBytes)}</span>`;
  return `<li>${icons.file}${shown}${size}${toDownload(page, entry)}</li>`;
}

const drawn = (kind: string, path: string) =>
  `<svg class="icon ${kind}" viewBox="0 0 20 20" width="22" height="22" aria-hidden="true"><path d="${path}"/></svg>`;
const icons = {
  folder: drawn(
    'folder',
    'M2.5 6a1.5 1.5 0 0 1 1.5-1.5h3.6l1.8 2H16A1.5 1.5 0 0 1 17.5 8v6.5A1.5 1.5 0 0 1 16 16H4a1.5 1.5 0 0 1-1.5-1.5z',
  ),
  file: drawn('file', 'M5.5 2.5h6l3.5 3.5v11.5h-9.5zM11.5 2.5V6H15'),
};

function toDownload({ paths, words }: PageContext, { id, name }: Entry, style = ''): string {
  const label = escapeHtml(words.downloadOne(name));
  return `<a${style} href="${paths.content}/files/${id}/content" download aria-label="${label}">${words.download}</a>`;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

function toSize({ locale }: PageWords, bytes: number): string {
  let size = bytes;
  let unit = 0;
  for (; size >= 1024 && unit < units.length - 1; unit += 1) size /= 1024;
  const digits = unit === 0 || Number.isInteger(size) ? 0 : 1;
  return `${size.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${units[unit]}`;
}

/** One file, with what can be shown of it. */
export function renderFilePage(page: PageContext, share: Share, file: Entry): string {
  const { paths, words } = page;
  const isTop = share.entryId === file.id;
  const source = `${paths.content}/files/${file.id}/content?inline=true`;
  const size = (bytes: number) => toSize(words, bytes);
  const { html, kind } = renderPreview({ share, file }, { source, words, toSize: size, hasPdf: paths.pdf !== null });
  const head = `${isTop ? '' : renderUp(page, share)}${renderHead(page, share, isTop ? share.name : file.name)}`;
  const download = toDownload(page, file, ' class="button"');
  const content = `${head}\n<p class="soft">${size(file.sizeBytes)}</p>\n${download}\n${html}`;
  const script = kind === 'markdown' || kind === 'pdf' ? paths[kind] : null;
  return layout(page, file.name, content, [`${paths.files}/view.js`, ...(script === null ? [] : [script])]);
}
