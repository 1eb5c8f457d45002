// What the page of a link shows of a file. Nothing of a file runs: pictures are pictures, also SVG; text, code and Markdown become
// text in the browser (`view.js`); the pages of a PDF are drawn (`visitor-pdf.ts` of the console).

import { escapeHtml } from '../../auth/pages.ts';
import { readMediaType } from '../../domain/content-type.ts';
import type { Entry } from '../../domain/entry.ts';
import type { Share } from '../../domain/share.ts';
import type { PageWords } from './words.ts';

type Kind = 'picture' | 'sound' | 'film' | 'pdf' | 'markdown' | 'text';

const pictures = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon|heic|heif)$/;
const codeTypes =
  /^application\/(json|xml|javascript|x-sh|x-yaml|yaml|toml|sql|x-ndjson|[\w.+-]+\+(json|xml))$|^image\/svg\+xml$/;
const textNames =
  /\.(txt|log|csv|tsv|ini|conf|c|cc|cpp|cs|css|go|h|hpp|html?|java|js|json|jsonl|jsx|kt|mjs|cjs|php|py|rb|rs|scss|sh|bash|sql|svelte|swift|toml|tsx?|vue|xml|ya?ml|zig)$/i;

/** Null: nothing can be shown. */
function kindOf({ contentType, name }: Entry): Kind | null {
  const type = readMediaType(contentType)?.essence ?? '';
  if (pictures.test(type)) return 'picture';
  if (type.startsWith('audio/')) return 'sound';
  // Guessed from the name of TypeScript.
  if (type === 'video/mp2t' && textNames.test(name)) return 'text';
  if (type.startsWith('video/')) return 'film';
  if (type === 'application/pdf') return 'pdf';
  if (type === 'text/markdown' || /\.(md|markdown)$/i.test(name)) return 'markdown';
  return type.startsWith('text/') || codeTypes.test(type) || textNames.test(name) ? 'text' : null;
}

/** Where downloads are limited, showing a file would use one up. */
export function isShown({ maxDownloads }: Share, entry: Entry): boolean {
  return maxDownloads === null && kindOf(entry) !== null;
}

/** As much of a text as is shown, and of Markdown, which takes the browser longer. */
const maxBytes = { text: 256 * 1024, markdown: 128 * 1024 };
/** The browser holds all of a PDF in memory. */
const maxPdfBytes = 64_000_000;

export interface Preview {
  html: string;
  /** Null: nothing of the file is shown. */
  kind: Kind | null;
}

const plain = (text: string): Preview => ({ html: `<p class="soft">${text}</p>`, kind: null });

/** `source`: the address of the bytes. `toSize`: for people. */
export function renderPreview(
  { share, file }: { share: Share; file: Entry },
  {
    source,
    words,
    toSize,
    hasPdf,
  }: { source: string; words: PageWords; toSize(bytes: number): string; hasPdf: boolean },
): Preview {
  const { preview } = words;
  const kind = kindOf(file);
  if (kind === null || (kind === 'pdf' && !hasPdf)) return plain(preview.none);
  if (share.maxDownloads !== null) return plain(preview.limited);
  if (file.sizeBytes === 0) return plain(preview.empty);
  if (kind === 'pdf' && file.sizeBytes > maxPdfBytes) return plain(preview.large);
  const limit = kind === 'markdown' || kind === 'text' ? maxBytes[kind] : file.sizeBytes;
  const cut = file.sizeBytes > limit ? `<p class="soft">${preview.cut(toSize(limit))}</p>\n` : '';
  const label = escapeHtml(file.name);
  const attributes = `data-look="${kind}" data-source="${source}" data-bytes="${limit}"`;
  const inner = renderMedia(kind, source, label) ?? `<noscript><p>${preview.needsScript}</p></noscript>`;
  const html = `${cut}<div class="look" ${attributes} data-none="${escapeHtml(preview.none)}" data-cut="${escapeHtml(preview.pages)}">${inner}</div>`;
  return { html, kind };
}

function renderMedia(kind: Kind, source: string, label: string): string | null {
  if (kind === 'picture') return `<img src="${source}" alt="${label}">`;
  if (kind === 'sound') return `<audio src="${source}" controls preload="metadata" aria-label="${label}"></audio>`;
  if (kind !== 'film') return null;
  return `<video src="${source}" controls playsinline preload="metadata" aria-label="${label}"></video>`;
}
