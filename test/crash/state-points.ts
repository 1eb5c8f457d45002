// Which crash state is which: the moment of the power cut, drawn from the seed and the number of the state, so that one can be
// seen again alone.

import type { Effect } from './effects.ts';
import { Random } from './random.ts';

export function seedOfState(seed: number, state: number): number {
  return (Math.imul(seed, 0x85ebca6b) ^ Math.imul(state + 1, 0xc2b2ae35)) >>> 0;
}

/** How many effects had happened. Half of the cuts come just after an answer: then most is promised and least is old. */
export function drawPoint(effects: readonly Effect[], seed: number, state: number): number {
  const random = new Random(seedOfState(seed, state) ^ 0x5bd1e995);
  const point = 1 + random.below(effects.length);
  if (random.isTrue(0.5)) return point;
  const answer = effects.findIndex((effect, at) => at >= point && effect.type === 'answer');
  return answer === -1 ? point : Math.min(effects.length, answer + 1 + random.below(3));
}

/** When each request was answered with success. */
export function toAnswered(effects: readonly Effect[]): Map<string, number> {
  const answered = new Map<string, number>();
  for (const [at, effect] of effects.entries()) {
    if (effect.type === 'answer' && (effect.status === 200 || effect.status === 204)) answered.set(effect.request, at);
  }
  return answered;
}
