// Where the time went: reads the CPU profiles that `--profile DIR` wrote (one per thread) and prints, for each, the functions with
// the most time of their own, and those with the most together with all that they call. `node bench/hot.ts DIR`

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

type CallFrame = { functionName: string; url: string; lineNumber: number };
type ProfileNode = { id: number; callFrame: CallFrame; children?: number[] };
type Profile = { nodes: ProfileNode[]; samples: number[]; timeDeltas: number[]; startTime: number; endTime: number };
type Costs = Map<string, number>;

const functionsShown = 30;
// Time in which the thread waited for something to do, or ran outside JavaScript altogether.
const idleNames = new Set(['(idle)', '(program)', '(root)']);

function main(folder: string | undefined): void {
  if (folder === undefined) throw new Error('usage: node bench/hot.ts DIR');
  // A thread writes its profile when it ends in order; one that was killed wrote none.
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))) {
    printProfile(file, JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile);
  }
}

function printProfile(file: string, profile: Profile): void {
  const own: Costs = new Map();
  const whole: Costs = new Map();
  const stacks = toStacks(profile);
  let busyMicros = 0;
  for (const [index, id] of profile.samples.entries()) {
    const stack = stacks.get(id) ?? [];
    const micros = profile.timeDeltas[index] ?? 0;
    const [top] = stack;
    if (top === undefined || idleNames.has(top)) continue;
    busyMicros += micros;
    add(own, top, micros);
    for (const name of new Set(stack)) add(whole, name, micros);
  }
  const seconds = (micros: number) => (micros / 1e6).toFixed(1);
  const wallMicros = profile.endTime - profile.startTime;
  process.stdout.write(`\n${file}: busy ${seconds(busyMicros)} s of ${seconds(wallMicros)} s\n own time\n`);
  printTop(own, busyMicros);
  process.stdout.write(' with all that they call\n');
  printTop(whole, busyMicros);
}

/** For each node, the functions on its stack, innermost first. */
function toStacks({ nodes }: Profile): Map<number, string[]> {
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const names = new Map(nodes.map((node) => [node.id, toName(node.callFrame)]));
  const toStack = (id: number) => {
    const stack: string[] = [];
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) stack.push(names.get(at) ?? '');
    return stack;
  };
  return new Map(nodes.map((node) => [node.id, toStack(node.id)]));
}

function toName({ functionName, url, lineNumber }: CallFrame): string {
  if (url === '') return functionName;
  const place = url.replace(/^file:\/\//, '').replace(`${join(import.meta.dirname, '..')}/`, '');
  return `${functionName || '(anonymous)'}  ${place}:${lineNumber + 1}`;
}

function printTop(costs: Costs, busyMicros: number): void {
  const sorted = [...costs].toSorted(([, left], [, right]) => right - left);
  for (const [name, micros] of sorted.filter(([name]) => !idleNames.has(name)).slice(0, functionsShown)) {
    const share = ((100 * micros) / busyMicros).toFixed(1).padStart(6);
    process.stdout.write(`${share} %  ${(micros / 1000).toFixed(0).padStart(7)} ms  ${name}\n`);
  }
}

function add(costs: Costs, name: string, micros: number): void {
  costs.set(name, (costs.get(name) ?? 0) + micros);
}

main(process.argv[2]);
