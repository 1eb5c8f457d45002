// Options that may be repeated. One that took several values at once would swallow the arguments after it.

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}
