// `--include` and `--exclude` of put, get and sync: which of the files beneath a folder are meant. A pattern without a slash is for names
// at any depth, one with a slash for paths from the folder that is transferred.

import { toWildcard } from './glob.ts';

export interface FilterOptions {
  include?: string[];
  exclude?: string[];
}

type Pattern = readonly (RegExp | null)[];

export class Filter {
  readonly #include: readonly Pattern[];
  readonly #exclude: readonly Pattern[];

  constructor({ include = [], exclude = [] }: FilterOptions) {
    this.#include = include.map(toPattern);
    this.#exclude = exclude.map(toPattern);
  }

  /** Whether there is anything to leave out. */
  get isActive(): boolean {
    return this.#include.length > 0 || this.#exclude.length > 0;
  }

  /** Whether folders are made only where a file needs them. */
  get isSelecting(): boolean {
    return this.#include.length > 0;
  }

  /** `path` is relative to the folder that is transferred, with slashes. */
  allowsFile(path: string): boolean {
    const names = toNames(path);
    const isIncluded = this.#include.length === 0 || this.#include.some((pattern) => matchBeginning(pattern, names));
    return isIncluded && !this.#exclude.some((pattern) => matchBeginning(pattern, names));
  }

  /** A folder that is excluded is left out with everything beneath it. */
  allowsFolder(path: string): boolean {
    const names = toNames(path);
    return !this.#exclude.some((pattern) => matchBeginning(pattern, names));
  }
}

export const everything = new Filter({});

/** Null stands for any number of folders. */
function toPattern(text: string): Pattern {
  const names = toNames(text.normalize('NFC'));
  const parts = names.map((name) => (name === '**' ? null : toWildcard(name)));
  return /[^/]\/[^/]|^\//.test(text) ? parts : [null, ...parts];
}

function toNames(path: string): string[] {
  return path
    .normalize('NFC')
    .split('/')
    .filter((name) => name !== '');
}

/** Whether the pattern matches the path, or a folder that it lies in. */
function matchBeginning(pattern: Pattern, names: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return true;
  const [name, ...deeper] = names;
  if (first === null) return matchBeginning(rest, names) || (name !== undefined && matchBeginning(pattern, deeper));
  return name !== undefined && first.test(name) && matchBeginning(rest, deeper);
}
