// Assigns samples of the service to their purpose: parses the output of `perf script -F comm,tid,ip,sym`. A sample belongs to its
// thread, and there to the innermost function that has a purpose of its own: of a `memcpy` that is the caller.

export type Part = { what: string; samples: number };

type Sample = { thread: string; tid: string; frames: string[] };
type Rule = [what: string, frame: RegExp];
type Role = 'http' | 'writer' | 'checkpointer' | 'search' | 'v8' | 'other';

const collection: RegExp = /Scaveng|MarkCompact|MinorMark|Heap::(Collect|Perform)|GarbageCollect/;

/** Applied to each function in turn, from the innermost on; the first match decides. */
const rules: Record<Role, Rule[]> = {
  http: [
    ['HTTP: garbage collection', collection],
    ['HTTP: SHA-256 of the content', /sha256|SHA256|OneShotDigest/],
    ['HTTP: to the writer', /transport\.ts|#send file|MessagePort::PostMessage/],
    [
      'HTTP: from the writer, and settling',
      /settle file|Changes file|(first-pages|page-change|to-change-of)\.ts|MessagePort::/,
    ],
    ['HTTP: who asks (token, AppKey, quotas)', /src\/auth\/|\/(quotas|permission|enter|caller)\.ts/],
    [
      'HTTP: rendering and sending the answer',
      /src\/(rest|listener)\/(answer|wire|early)\.ts|_http_outgoing|stream_base_commons|StreamBase::Write|uv_(try_)?write|uv__write/,
    ],
    ['HTTP: routing, headers, body, record', /\/src\//],
    [
      'HTTP: `node:http`, parsing and bookkeeping',
      /_http_|llhttp|::Parser::|ConnectionsList|node:net:|internal\/timers/,
    ],
    ['HTTP: event loop, sockets, promises', /^/],
  ],
  writer: [
    ['writer: garbage collection', collection],
    ['writer: COMMIT: pages into the log, the sync', /PagerCommit|pagerWalFrames|WalFrames|fsync|fdatasync/],
    ['writer: SQLite statements', /sqlite3|node::sqlite::/],
    ['writer: to and from the HTTP threads', /transport\.ts|MessagePort|Json(Parse|Stringif)|takeNext|tell file/],
    ['writer: verbs, journal and its chain, seals', /\/src\//],
    ['writer: event loop', /^/],
  ],
  checkpointer: [['checkpoints', /^/]],
  search: [['search: indexing names (the files are binary)', /^/]],
  v8: [['V8: garbage collection and compilation in threads of its own', /^/]],
  other: [['other threads', /^/]],
};

/** By what runs in it: all threads that the service starts have one name. */
const marks: [role: Role, frame: RegExp][] = [
  ['writer', /catalog\/sqlite\/writer\.ts/],
  ['checkpointer', /catalog\/sqlite\/checkpointer\.ts/],
  ['search', /src\/search\/.*(indexer|searcher|extractor|index-store)/],
  ['http', /src\/(listener|rest)\//],
];

export function sumParts(script: string): Part[] {
  const samples = parse(script);
  const roles = findRoles(samples);
  const counts = new Map<string, number>();
  for (const { tid, frames } of samples) {
    const what = classify(frames, rules[roles.get(tid) ?? 'other']);
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const parts = [...counts].map(([what, count]) => ({ what, samples: count }));
  return parts.sort((left, right) => right.samples - left.samples);
}

function parse(script: string): Sample[] {
  return script
    .split('\n\n')
    .map((block) => {
      const [head = '', ...lines] = block.trim().split('\n');
      const [, thread = '', tid = ''] = /^(.*?)\s+(\d+)\s*$/.exec(head) ?? [];
      return { thread, tid, frames: lines.map((line) => line.trim().replace(/^[0-9a-f]+ /, '')) };
    })
    .filter(({ tid }) => tid !== '');
}

function findRoles(samples: readonly Sample[]): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const { thread, tid, frames } of samples) {
    if (thread.startsWith('node-V8')) roles.set(tid, 'v8');
    else if (thread === 'node-MainThread') roles.set(tid, 'http');
    else if (!roles.has(tid)) {
      const mark = marks.find(([, frame]) => frames.some((name) => frame.test(name)));
      if (mark !== undefined) roles.set(tid, mark[0]);
    }
  }
  return roles;
}

function classify(frames: readonly string[], known: readonly Rule[]): string {
  for (const name of frames) {
    const rule = known.slice(0, -1).find(([, frame]) => frame.test(name));
    if (rule !== undefined) return rule[0];
  }
  // The last rule takes what no function tells.
  return known.at(-1)?.[0] ?? '';
}
