// What commands are made of: a step with its arguments, entries chosen by number among those that there are when it runs, so
// that every sequence makes sense, and the few names, texts and properties that make collisions likely.

import fc from 'fast-check';
import type { Behavior, Model, Node } from './model.ts';
import type { World } from './world.ts';

export type Command = fc.AsyncCommand<Model, World>;
export const tally = { commands: 0, refused: 0 };

class Step<Args> implements Command {
  readonly #name: string;
  readonly #args: Args;
  readonly #run: (world: World, args: Args) => Promise<void>;

  constructor(name: string, args: Args, run: (world: World, args: Args) => Promise<void>) {
    this.#name = name;
    this.#args = args;
    this.#run = run;
  }

  /** Where there is nothing to choose from, it is left out, but not always: what is refused belongs to it. */
  check(model: Model): boolean {
    const choices = Object.values(this.#args as object).filter((value): value is Choice => value?.among !== undefined);
    return choices.every((one) => one.number % 8 === 0 || choose(model, one) !== unknown);
  }

  async run(_: Model, world: World): Promise<void> {
    tally.commands += 1;
    await this.#run(world, this.#args);
  }

  toString(): string {
    return `${this.#name} ${JSON.stringify(this.#args)}`;
  }
}

export function step<Args>(
  title: string,
  args: fc.Arbitrary<Args>,
  run: (world: World, args: Args) => Promise<void>,
): fc.Arbitrary<Command> {
  return args.map((some) => new Step(title, some, run));
}

export type Among = 'visible' | 'folders' | 'files' | 'trashed' | 'all';
export interface Choice {
  among: Among;
  number: number;
}

/** Mostly one that suits, now and then any: refusals are to be the same too. */
export function choice(usual: Among): fc.Arbitrary<Choice> {
  const among = fc.oneof(
    { weight: 9, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom<Among>('visible', 'folders', 'files', 'trashed', 'all') },
  );
  return fc.record({ among, number: fc.nat(30) });
}

export function choose(model: Model, { among, number }: Choice): Node {
  const candidates = model.nodes.filter((node) => {
    if (among === 'folders') return node.kind === 'folder' && model.isVisible(node);
    if (node === model.top) return false;
    if (among === 'files') return node.kind === 'file' && model.isVisible(node);
    if (among === 'trashed') return node.state === 'trashed';
    return among === 'all' || model.isVisible(node);
  });
  return candidates[number % Math.max(candidates.length, 1)] ?? unknown;
}

const unknown = {
  key: -1,
  kind: 'file',
  name: 'unknown',
  parent: null,
  state: 'removed',
  versions: [],
} as unknown as Node;

/** The top folder is the ground on which the sequence stands. */
export function chooseEntry(model: Model, some: Choice): Node {
  const node = choose(model, some);
  return node === model.top ? unknown : node;
}

export const text = fc.constantFrom('', 'a', 'bb', 'ccc', 'dddd', 'ü'.repeat(40), 'large '.repeat(12_000));
export const contentType = fc.constantFrom('text/plain', 'text/plain', 'text/plain', 'text/markdown');
export const comment = fc.constantFrom<string | null>(null, null, 'first', 'Geprüft, 100 %');
export const objectType = fc.constantFrom('x:case', 'x:file');
export const name = fc.oneof(
  {
    weight: 15,
    arbitrary: fc.constantFrom(
      'a',
      'b',
      'A',
      'a.txt',
      'b.txt',
      'a (2)',
      'a (2).txt',
      '\u00e9',
      'e\u0301',
      '漢.d',
      '😀',
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('', '..', 'a/b', ' a') },
);
export const properties = fc.dictionary(fc.constantFrom('p', 'q', 'é'), fc.constantFrom('1', '2'), {
  maxKeys: 2,
  noNullPrototype: true,
});
export const merging = fc.dictionary(fc.constantFrom('p', 'q', 'é'), fc.constantFrom<string | null>('1', '2', null), {
  maxKeys: 2,
  noNullPrototype: true,
});
export const always = fc.constantFrom<Behavior>('Fail', 'Fail', 'Rename', 'Rename', 'Version', 'Existing');
export const match = fc.constantFrom('none', 'none', 'none', 'none', 'none', 'right', 'star', 'wrong', 'weak');
export type Match = 'none' | 'right' | 'star' | 'wrong' | 'weak';

export function optional<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(arbitrary, { nil: undefined });
}
