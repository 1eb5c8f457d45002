// The pages of links: plain HTML that works without script, but for sending files; on phones, in light and dark mode and with screen
// readers. All names are escaped. What users stored is shown only as pictures, sound, video and plain text, which run nothing.

import { escapeHtml } from '../auth/pages.ts';
import { readMediaType } from '../domain/content-type.ts';
import type { Entry } from '../domain/entry.ts';
import type { Share } from '../domain/share.ts';

/** Of every page: nothing inline, nothing from elsewhere. */
export const sharedPageHeaders: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    "frame-src 'self'",
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
};

/** Where the pages and the bytes of a link are. */
export interface PagePaths {
  /** Of the script and the style. */
  files: string;
  /** `/s/{secret}`. */
  page: string;
  /** `/v1/contentmanagement/shared/{secret}`. */
  content: string;
}

function layout({ files }: Pick<PagePaths, 'files'>, title: string, content: string, script = ''): string {
  const source = script === '' ? '' : `\n<script src="${files}/${script}" type="module"></script>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} – Cabinet</title>
<link rel="stylesheet" href="${files}/page.css">${source}
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

export function renderNoShare(paths: Pick<PagePaths, 'files'>): string {
  return layout(
    paths,
    'No such link',
    `<h1>This link does not work</h1>
<p>It is unknown, or can no longer be used. Ask whoever sent it for a new one.</p>
<p class="soft">ShareNotFound</p>`,
  );
}

export function renderPasswordForm(paths: PagePaths, problem: string | null): string {
  const shown = problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`;
  return layout(
    paths,
    'Password',
    `<h1>This link needs a password</h1>
${shown}<form method="post" action="${paths.page}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" maxlength="256" required autofocus>
<button>Open</button>
</form>`,
  );
}

function renderHead({ name, note, expiresAt }: Share, heading = name): string {
  const text = note === null ? '' : `\n<p class="note">${escapeHtml(note)}</p>`;
  const end = new Date(expiresAt);
  const until = end.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return `<h1>${escapeHtml(heading)}</h1>${text}
<p class="soft">This link works until <time datetime="${end.toISOString()}">${until}</time>.</p>`;
}

export function renderUploadPage(paths: PagePaths, share: Share): string {
  return layout(
    paths,
    share.name,
    `${renderHead(share)}
<form data-uploads="${paths.content}/uploads" method="post">
<label for="files">Files to send</label>
<input id="files" type="file" multiple required>
<button>Send</button>
</form>
<ul data-list aria-live="polite"></ul>
<noscript><p class="problem">Sending files needs JavaScript.</p></noscript>`,
    'upload.js',
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

export function renderFolderPage(paths: PagePaths, { share, folder, isTop, children, next }: FolderView): string {
  const items = children.map((child) => renderItem(paths, share, child)).join('\n');
  const all = isTop ? `<a class="button" href="${paths.content}/archive" download>Download everything</a>` : '';
  const up = isTop ? '' : `<nav><a href="${paths.page}">Back to ${escapeHtml(share.name)}</a></nav>\n`;
  const here = isTop ? paths.page : `${paths.page}/folders/${folder.id}`;
  const more = next === null ? '' : `\n<p><a href="${here}?${escapeHtml(next)}">Show more</a></p>`;
  const list = children.length === 0 ? '<p>This folder is empty.</p>' : `<ul class="entries">\n${items}\n</ul>`;
  const heading = isTop ? share.name : folder.name;
  return layout(paths, heading, `${up}${renderHead(share, heading)}\n${all}\n${list}${more}`);
}

function renderItem(paths: PagePaths, share: Share, entry: Entry): string {
  const name = escapeHtml(entry.name);
  if (entry.kind === 'folder') {
    return `<li>${icons.folder}<a class="name" href="${paths.page}/folders/${entry.id}">${name}/</a></li>`;
  }
  const shown = isShown(share, entry)
    ? `<a class="name" href="${paths.page}/files/${entry.id}">${name}</a>`
    : `<span class="name">${name}</span>`;
  return `<li>${icons.file}${shown}<span class="soft size">${toSize(entry.sizeBytes)}</span>${toDownload(paths, entry)}</li>`;
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

function toDownload({ content }: PagePaths, { id, name }: Entry, style = ''): string {
  const label = `Download ${escapeHtml(name)}`;
  return `<a${style} href="${content}/files/${id}/content" download aria-label="${label}">Download</a>`;
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

function toSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  for (; size >= 1024 && unit < units.length - 1; unit += 1) size /= 1024;
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}

/** Where downloads are limited, showing a file would use one up. */
function isShown({ maxDownloads }: Share, entry: Entry): boolean {
  return maxDownloads === null && toPreview(entry, '') !== null;
}

function toPreview({ contentType, name }: Entry, source: string): string | null {
  const type = readMediaType(contentType)?.essence ?? '';
  const label = escapeHtml(name);
  if (/^image\/(png|jpeg|gif|webp|avif)$/.test(type)) return `<img src="${source}" alt="${label}">`;
  if (/^video\/(mp4|webm|ogg)$/.test(type)) return `<video src="${source}" controls preload="metadata"></video>`;
  if (/^audio\/(mpeg|mp4|ogg|wav|flac)$/.test(type))
    return `<audio src="${source}" controls preload="metadata"></audio>`;
  return type === 'text/plain' ? `<iframe src="${source}" title="${label}" sandbox></iframe>` : null;
}

/** One file, with what can be shown of it. */
export function renderFilePage(paths: PagePaths, share: Share, file: Entry): string {
  const isTop = share.entryId === file.id;
  const source = `${paths.content}/files/${file.id}/content?inline=true`;
  const preview = isShown(share, file) ? toPreview(file, source) : null;
  const up = isTop ? '' : `<nav><a href="${paths.page}">Back to ${escapeHtml(share.name)}</a></nav>\n`;
  const size = `<p class="soft">${toSize(file.sizeBytes)}</p>`;
  const content = `${renderHead(share, isTop ? share.name : file.name)}\n${size}\n${toDownload(paths, file, ' class="button"')}\n${preview ?? ''}`;
  return layout(paths, file.name, `${up}${content}`);
}
