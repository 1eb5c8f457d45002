// Parses a search snippet: escaped HTML text with <mark> around matches. It becomes text and marks, never markup.

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'" };

export interface SnippetPart {
  text: string;
  isFound: boolean;
}

export function splitSnippet(snippet: string): SnippetPart[] {
  return snippet
    .split(/(<mark>.*?<\/mark>)/gs)
    .filter((part) => part !== '')
    .map((part) => {
      const isFound = part.startsWith('<mark>');
      return { text: toText(isFound ? part.slice(6, -7) : part), isFound };
    });
}

function toText(text: string): string {
  return text.replace(/&(#?\w+);/g, (all, name: string) => {
    if (name in entities) return entities[name] ?? all;
    const code = /^#(\d+)$/.exec(name)?.[1] ?? null;
    return code === null ? all : String.fromCodePoint(Number(code));
  });
}
