// What acts are made of: who does what to which node is chosen at random, mostly so that it is allowed.

import fc from 'fast-check';
import { commonWord, type Faces, same } from './faces.ts';
import type { LinkFaces } from './link-faces.ts';
import type { Model, Node } from './model.ts';
import type { Replicas } from './replicas.ts';
import { outcomeOf, people, type Reply, type Space } from './world.ts';

export interface Sequence {
  space: Space;
  model: Model;
  faces: Faces;
  links: LinkFaces;
  replicas: Replicas;
}

export interface Act {
  run(sequence: Sequence): Promise<void>;
  toString(): string;
}

export const outcomes = new Map<string, number>();

/** The outcome must be one of these; several only where the order of checks is not promised. Returns whether it was done. */
export function isDone(answer: Reply, expected: readonly string[], what: string): boolean {
  const outcome = outcomeOf(answer);
  same(expected.includes(outcome), true, `${what}: ${outcome}, expected ${expected.join(' or ')}: ${answer.body}`);
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  return outcome === 'done';
}

export function pick<Item>(items: readonly Item[], number: number): Item | undefined {
  return items[number % Math.max(items.length, 1)];
}

/** Mostly one that the person sees: nearly everything is refused otherwise. */
export function pickFor(model: Model, who: string, nodes: readonly Node[], number: number): Node | undefined {
  const seen = number % 5 === 4 ? [] : nodes.filter((node) => see(model, node, who, true) !== null);
  return pick(seen.length === 0 ? nodes : seen, number);
}

export interface Chosen {
  who: string;
  number: number;
  target: number;
  name: string;
}

const names = [`${commonWord} a`, `${commonWord} b`, `${commonWord} c`, `${commonWord} d`];
const chosen = fc.record({
  who: fc.constantFrom<string>('app', ...people, 'app'),
  number: fc.nat(40),
  target: fc.nat(40),
  name: fc.constantFrom(...names),
});

export function act(title: string, run: (sequence: Sequence, chosen: Chosen) => Promise<void>): fc.Arbitrary<Act> {
  return chosen.map((some) => ({
    run: (sequence) => run(sequence, some),
    toString: () => `${title} ${JSON.stringify(some)}`,
  }));
}

/** The application manages the space. */
export function see(model: Model, node: Node, who: string, isTrashMeant = false) {
  if (who !== 'app') return model.see(node, who, isTrashMeant);
  if (node.isRemoved || (model.isTrashed(node) && !isTrashMeant)) return null;
  return { role: 'editor', parentRole: 'editor', path: '' } as const;
}

/** What refuses to put something into the folder. */
export function refuseTarget(model: Model, folder: Node, who: string): string | null {
  const view = see(model, folder, who);
  if (view === null) return 'FolderNotFound';
  return view.role === 'editor' ? null : 'Forbidden';
}

export const folders = (model: Model) => model.nodes.filter(({ kind, isRemoved }) => kind === 'folder' && !isRemoved);
export const movable = (model: Model) => model.nodes.filter((node) => node !== model.top && !node.isRemoved);
