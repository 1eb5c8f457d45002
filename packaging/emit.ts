// Emits sources as JavaScript: Node runs no TypeScript below node_modules. Types become blanks, so that line numbers stay, and what
// names a file `./….ts` names the emitted one. Other files are copied as they are.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, extname, join } from 'node:path';

/** Of imports, `new URL('./….ts', import.meta.url)` and `join(import.meta.dirname, './….ts')`. */
const relativeName = /'(\.\.?\/[^'\n]*)\.ts'/g;

/** `path` is relative to both folders. */
export function emit(root: string, folder: string, path: string): void {
  const target = join(folder, toEmitted(path));
  mkdirSync(dirname(target), { recursive: true });
  if (!['.ts', '.js'].includes(extname(path))) {
    cpSync(join(root, path), target);
    return;
  }
  const source = readFileSync(join(root, path), 'utf8');
  const stripped = path.endsWith('.ts') ? stripTypeScriptTypes(source).replaceAll(/[ \t]+$/gm, '') : source;
  writeFileSync(target, stripped.replaceAll(relativeName, "'$1.js'"));
}

export function toEmitted(path: string): string {
  return path.replace(/\.ts$/, '.js');
}
