// `npm run build:console`: builds the console into dist/console, each file also as Brotli and gzip. The build replaces the previous
// one in one step. A hash of the sources is kept beside it: `npm ci` builds if it is missing or out of date (`--if-needed`), and
// `cabinet serve` does if that was skipped.

import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HtmlTagDescriptor, InlineConfig, Plugin, Rolldown } from 'vite';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const target = join(dist, 'console');
const sources = ['console', 'sdk/src', 'sdk/package.json', 'package-lock.json'];
/** Compressing smaller files gains nothing. */
const minBytes = 512;
/** The best quality of Brotli takes three seconds for a megabyte; a twentieth of that makes PDF.js, which comes with a PDF only, 11 % larger. */
const bestUpToBytes = 500_000;
const nextBestQuality = 9;

/** A hash of all sources of the console. */
function stampSources(): string {
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

/** Whether the build tools are installed; a deployment has only the runtime dependencies. */
export function canBuild(): boolean {
  return existsSync(join(root, 'node_modules/vite')) && existsSync(join(root, 'console/index.html'));
}

async function build(): Promise<void> {
  const [{ build: bundle }, { default: react }] = await Promise.all([import('vite'), import('@vitejs/plugin-react')]);
  const stamp = stampSources();
  const staging = join(dist, `console-${process.pid}`);
  mkdirSync(staging, { recursive: true });
  try {
    const planned: InlineConfig = {
      root: import.meta.dirname,
      configFile: false,
      logLevel: 'warn',
      build: {
        target: 'es2023',
        // The Content-Security-Policy forbids inline scripts and data URLs.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        // PDF.js is large, and loaded with a PDF only.
        chunkSizeWarningLimit: 2_000,
        reportCompressedSize: false,
      },
    };
    // What is needed together is known once everything has been bundled.
    const first = await bundle({ ...planned, plugins: [react()], build: { ...planned.build, write: false } });
    await bundle({
      ...planned,
      plugins: [react(), preloadRender()],
      // In the page absolute, since it is served at many addresses; elsewhere relative, since there may be a base path.
      experimental: { renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `/${name}` : { relative: true }) },
      build: {
        ...planned.build,
        outDir: staging,
        emptyOutDir: true,
        rolldownOptions: { output: { codeSplitting: { groups: groupChunks(first as Rolldown.RolldownOutput) } } },
      },
    });
    await bundle({
      ...planned,
      plugins: [react()],
      experimental: { renderBuiltUrl: () => ({ relative: true }) },
      build: {
        ...planned.build,
        outDir: staging,
        emptyOutDir: false,
        rolldownOptions: { input: visitorScripts },
      },
    });
    await Promise.all([staging, join(staging, 'assets')].map(compressIn));
    writeFileSync(join(staging, 'stamp'), stamp);
    replace(staging);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Of the page of a link (`src/rest/shared-page`), which has nothing else of the console: they share no chunk with it. */
const visitorScripts = {
  'visitor-markdown': join(import.meta.dirname, 'sharing/visitor-markdown.tsx'),
  'visitor-pdf': join(import.meta.dirname, 'sharing/visitor-pdf.ts'),
};

/** What is needed together: the entry, what every page needs, and the pages of users, each without what is in those before it. */
const together = ['index', 'render', 'pages'];
/** A smaller chunk costs more as a request than it saves where it is not needed. */
const minChunkBytes = 8_000;

/**
 * One chunk for all that is needed together, where the bundler would make one for each set of pages that share something; and one for
 * small parts of other pages. Nothing is added to the first page.
 */
function groupChunks({ output }: Rolldown.RolldownOutput): Rolldown.CodeSplittingGroup[] {
  const chunks = output.filter((one) => one.type === 'chunk');
  const entries = chunks.filter(({ isEntry, isDynamicEntry }) => isEntry || isDynamicEntry);
  const names = new Map<string, string>();
  const assign = ({ moduleIds }: Rolldown.OutputChunk, name: string) => {
    for (const id of moduleIds) if (!names.has(id)) names.set(id, name);
  };
  for (const name of together) {
    const needed = new Set(entries.filter((one) => one.name === name));
    // Iterating a set includes items that are added meanwhile.
    for (const one of needed) {
      assign(one, name);
      for (const other of chunks) if (one.imports.includes(other.fileName)) needed.add(other);
    }
  }
  for (const one of chunks) if (!entries.includes(one) && one.code.length < minChunkBytes) assign(one, 'parts');
  return [...together, 'parts'].map((name, index, { length }) => ({
    name,
    test: (id: string) => names.get(id) === name,
    priority: length - index,
  }));
}

/** Every page needs `render.tsx`: a preload fetches it before the first script imports it. */
function preloadRender(): Plugin {
  return {
    name: 'preload-render',
    transformIndexHtml: {
      order: 'post',
      handler(_page, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
        const rendering = chunks.find(({ name }) => name === 'render');
        const names = new Set(rendering === undefined ? [] : [rendering.fileName]);
        // Iterating a set includes items that are added meanwhile.
        for (const name of names) {
          for (const one of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(one);
        }
        // The page already has the entry.
        const preloaded = chunks.filter(({ fileName, isEntry }) => names.has(fileName) && !isEntry);
        const known = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap(toStyles));
        const styles = preloaded.flatMap(toStyles).filter((name) => !known.has(name));
        return [
          ...preloaded.map(({ fileName }) => toLink({ rel: 'modulepreload', crossorigin: '', href: `/${fileName}` })),
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

async function compressIn(folder: string): Promise<void> {
  const paths = readdirSync(folder).filter((name) => /\.(js|css|html|svg)$/.test(name));
  await Promise.all(paths.map((name) => compress(join(folder, name))));
}

/** In threads, several files at a time. */
async function compress(path: string): Promise<void> {
  const bytes = readFileSync(path);
  if (bytes.length < minBytes) return;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: bytes.length > bestUpToBytes ? nextBestQuality : constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  writeFileSync(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
  writeFileSync(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

/** Concurrent builds of the same sources are fine: one of them stays. */
function replace(staging: string): void {
  const old = `${staging}-old`;
  try {
    if (existsSync(target)) renameSync(target, old);
    renameSync(staging, target);
  } catch (error) {
    // Another build replaced it in between.
    if (!isBuilt()) throw error;
  }
  rmSync(old, { recursive: true, force: true });
}

if (import.meta.main) {
  const isNeeded = !process.argv.includes('--if-needed') || (canBuild() && !isBuilt());
  if (isNeeded) await build();
}
