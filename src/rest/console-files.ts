// The files of the built console (`npm run build:console`, also run by `cabinet serve`), kept in memory. A requested name is
// looked up among the files that were read at the start; it never becomes a path on disk.

import { hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Answer } from '../listener/answer.ts';

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The build writes these beside each file; the first one that the browser accepts is sent. */
const encodings = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
] as const;

/** Nothing inline, nothing from other origins, no frames, no markup made from text. Blobs are for previews: pictures and sound. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const commonHeaders = {
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  Vary: 'Accept-Encoding',
};

/** The name of an asset contains a hash of its bytes, so a cached copy never goes stale. */
const cacheSeconds = 365 * 24 * 3600;

interface ConsoleFile {
  type: string;
  etag: string;
  bytes: Buffer;
  encoded: { name: string; bytes: Buffer }[];
}

export interface ConsoleFiles {
  /** The path that the page is served beneath; empty: none. */
  basePath: string;
  page: ConsoleFile | null;
  /** By name. */
  assets: ReadonlyMap<string, ConsoleFile>;
}

const builtConsoleFolder = join(import.meta.dirname, '../../dist/console');

export function readConsole(folder = builtConsoleFolder): ConsoleFiles {
  if (!existsSync(join(folder, 'index.html'))) return { basePath: '', page: null, assets: new Map() };
  const assets = join(folder, 'assets');
  const names = readdirSync(assets).filter((name) => extname(name) in types);
  return {
    basePath: '',
    page: readOne(join(folder, 'index.html')),
    assets: new Map(names.map((name) => [name, readOne(join(assets, name))])),
  };
}

function readOne(path: string): ConsoleFile {
  const bytes = readFileSync(path);
  const encoded = encodings
    .filter(({ extension }) => existsSync(path + extension))
    .map(({ name, extension }) => ({ name, bytes: readFileSync(path + extension) }));
  return { type: types[extname(path)] ?? 'application/octet-stream', etag: toEtag(bytes), bytes, encoded };
}

function toEtag(bytes: Buffer): string {
  return `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"`;
}

/** Beneath a path, the page names its assets there. Their names among each other are relative. */
export function atBasePath(files: ConsoleFiles, basePath: string): ConsoleFiles {
  if (files.page === null || basePath === '') return { ...files, basePath };
  const path = escapeAttribute(basePath);
  const text = files.page.bytes
    .toString('utf8')
    .replace('<meta name="base-path" content=""', () => `<meta name="base-path" content="${path}"`)
    .replaceAll('="/assets/', () => `="${path}/assets/`);
  return { ...files, basePath, page: toPage(Buffer.from(text)) };
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

function toPage(bytes: Buffer): ConsoleFile {
  const encoded = [
    { name: 'br', bytes: brotliCompressSync(bytes) },
    { name: 'gzip', bytes: gzipSync(bytes) },
  ];
  return { type: types['.html'] ?? '', etag: toEtag(bytes), bytes, encoded };
}

interface FileConditions {
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
}

export function answerConsolePage({ page, basePath }: ConsoleFiles, conditions: FileConditions): Answer {
  if (page === null) return notBuilt(basePath);
  return answer(page, conditions, 'no-cache');
}

/** Null: there is no asset of this name. */
export function answerConsoleAsset({ assets }: ConsoleFiles, name: string, conditions: FileConditions): Answer | null {
  const file = assets.get(name);
  return file === undefined ? null : answer(file, conditions, `public, max-age=${cacheSeconds}, immutable`);
}

function answer(file: ConsoleFile, { acceptEncoding, ifNoneMatch }: FileConditions, cacheControl: string): Answer {
  const sent = file.encoded.find(({ name }) => isAccepted(acceptEncoding ?? '', name));
  const bytes = sent?.bytes ?? file.bytes;
  const etag = sent === undefined ? file.etag : file.etag.replace(/"$/, `-${sent.name}"`);
  const headers = { ...commonHeaders, 'Content-Type': file.type, 'Cache-Control': cacheControl, ETag: etag };
  if (ifNoneMatch?.includes(etag)) return { status: 304, headers, body: '' };
  const length = { 'Content-Length': String(bytes.length) };
  const encoding = sent !== undefined && { 'Content-Encoding': sent.name };
  return { status: 200, headers: { ...headers, ...length, ...encoding }, body: once(bytes) };
}

/** RFC 9110, section 12.5.3; a weight of 0 means not acceptable. */
function isAccepted(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((one) => {
    const [name, weight] = one
      .trim()
      .toLowerCase()
      .split(/\s*;\s*q=/);
    return name === encoding && Number(weight ?? 1) > 0;
  });
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function notBuilt(basePath: string): Answer {
  const body = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Cabinet</title>
<h1>The console is not built.</h1>
<p>The service runs; only this page is missing. Build it with <code>npm run build:console</code> and start again.</p>
<p><a href="${escapeAttribute(basePath)}/docs">The interface</a> is described here.</p></html>
`;
  const headers = { ...commonHeaders, 'Content-Type': types['.html'] ?? '', 'Cache-Control': 'no-store' };
  return { status: 503, headers, body };
}
