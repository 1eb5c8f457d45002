// What a client knows of its requests: the story of each entry, step by step, and how each step ended. A step is only
// requested when the one before it was answered, so what the service has must be the story up to the last answered step, or
// one further when that one is in doubt. A client that gave up waiting is in doubt as well: that is no refusal.

export type StepKind = 'file' | 'version' | 'folder' | 'trash' | 'purge';
export type Outcome = 'requested' | 'done' | 'refused' | 'doubt';

export interface Step {
  /** The tracking id: it comes back in the answer's head and stands in the journal. */
  request: string;
  kind: StepKind;
  /** Of the bytes, where it brings some. */
  sha256: string | null;
  sizeBytes: number;
  outcome: Outcome;
  /** No answer, and no end of the connection either: the client stopped waiting. */
  hasGivenUp: boolean;
}

export interface Story {
  /** Unique in its run. */
  name: string;
  id: string | null;
  steps: Step[];
}

export class Ledger {
  readonly stories: Story[] = [];
  /** What must never be answered, such as a 4xx to a good request. */
  readonly surprises: string[] = [];

  begin(name: string): Story {
    const story: Story = { name, id: null, steps: [] };
    this.stories.push(story);
    return story;
  }

  count(outcome: Outcome): number {
    return this.stories.reduce((sum, { steps }) => sum + steps.filter((step) => step.outcome === outcome).length, 0);
  }
}

/** What an entry is after some of its steps. */
export interface Expected {
  kind: 'file' | 'folder';
  digests: string[];
  place: 'none' | 'visible' | 'trash' | 'gone';
}

export function expectAfter(steps: readonly Step[]): Expected {
  const expected: Expected = { kind: 'file', digests: [], place: 'none' };
  for (const { kind, sha256 } of steps) {
    // Saving the same bytes over themselves changes nothing.
    if (sha256 !== null && sha256 !== expected.digests.at(-1)) expected.digests.push(sha256);
    if (kind === 'folder') expected.kind = 'folder';
    expected.place = kind === 'trash' ? 'trash' : kind === 'purge' ? 'gone' : 'visible';
  }
  return expected;
}
