// `npm run build:console`: builds the console into dist/console, with each file also in Brotli and gzip. What is built appears
// there at once and whole. A stamp of its sources stands beside it: `npm ci` builds it where it is missing or out of date
// (`--if-needed`), and `cabinet serve` does where that was skipped.

import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { HtmlTagDescriptor, Plugin } from 'vite';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const target = join(dist, 'console');
const sources = ['console', 'sdk/src', 'sdk/package.json', 'package-lock.json'];
/** What is smaller gains nothing. */
const leastBytes = 512;

/** A hash of everything that the console is made of. */
export function stampSources(): string {
  const paths = sources.flatMap((source) => {
    const path = join(root, source);
    if (!existsSync(path)) return [];
    if (source.endsWith('.json')) return [path];
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
    return names.filter((name) => /\.(tsx?|css|html|svg|json)$/.test(name)).map((name) => join(path, name));
  });
  const digests = paths.sort().map((path) => `${path.slice(root.length)} ${hash('sha256', readFileSync(path))}`);
  return hash('sha256', digests.join('\n'));
}

export function isBuilt(): boolean {
  const stamp = join(target, 'stamp');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === stampSources();
}

/** Whether it can be built here: what builds it is not installed where only the service runs. */
export function canBuild(): boolean {
  return existsSync(join(root, 'node_modules/vite')) && existsSync(join(root, 'console/index.html'));
}

async function build(): Promise<void> {
  const [{ build: bundle }, { default: react }] = await Promise.all([import('vite'), import('@vitejs/plugin-react')]);
  const stamp = stampSources();
  const made = join(dist, `console-${process.pid}`);
  mkdirSync(made, { recursive: true });
  try {
    await bundle({
      root: import.meta.dirname,
      configFile: false,
      logLevel: 'warn',
      plugins: [react(), preloadDrawing()],
      build: {
        outDir: made,
        emptyOutDir: true,
        target: 'es2023',
        // No inline scripts or data addresses: the Content-Security-Policy lets neither in.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
      },
    });
    for (const folder of [made, join(made, 'assets')]) compressIn(folder);
    writeFileSync(join(made, 'stamp'), stamp);
    replace(made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Whatever the page will show is drawn by `draw.tsx`: the browser is told at once, before the first script has asked for it. */
function preloadDrawing(): Plugin {
  return {
    name: 'preload-drawing',
    transformIndexHtml: {
      order: 'post',
      handler(_page, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
        const drawing = chunks.find(({ isDynamicEntry, name }) => isDynamicEntry && name === 'draw');
        const names = new Set(drawing === undefined ? [] : [drawing.fileName]);
        // A set that grows is walked to its end.
        for (const name of names) {
          for (const one of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(one);
        }
        // The page names what begins it already.
        const told = chunks.filter(({ fileName, isEntry }) => names.has(fileName) && !isEntry);
        const known = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap(toStyles));
        const styles = told.flatMap(toStyles).filter((name) => !known.has(name));
        return [
          ...told.map(({ fileName }) => toLink({ rel: 'modulepreload', crossorigin: '', href: `/${fileName}` })),
          ...styles.map((name) => toLink({ rel: 'stylesheet', crossorigin: '', href: `/${name}` })),
        ];
      },
    },
  };
}

function toStyles(chunk: object): string[] {
  const { viteMetadata } = chunk as { viteMetadata?: { importedCss: Set<string> } };
  return [...(viteMetadata?.importedCss ?? [])];
}

function toLink(attrs: Record<string, string>): HtmlTagDescriptor {
  return { tag: 'link', attrs, injectTo: 'head' };
}

function compressIn(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => /\.(js|css|html|svg)$/.test(name))) {
    const bytes = readFileSync(join(folder, name));
    if (bytes.length < leastBytes) continue;
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    };
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

/** Of several that build the same at once, one stays. */
function replace(made: string): void {
  const old = `${made}-old`;
  try {
    if (existsSync(target)) renameSync(target, old);
    renameSync(made, target);
  } catch (error) {
    // Another one was faster, between our two looks.
    if (!isBuilt()) throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

if (import.meta.main) {
  const isNeeded = !process.argv.includes('--if-needed') || (canBuild() && !isBuilt());
  if (isNeeded) await build();
}
