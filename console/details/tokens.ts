// Syntax colours for code: strings, numbers, comments and common keywords, line by line and independent of the language.

export interface Token {
  text: string;
  kind: 'comment' | 'string' | 'number' | 'word' | null;
}

const words =
  'abstract|as|async|await|bool|boolean|break|case|catch|char|class|const|continue|def|default|delete|do|double|elif|else|enum|export|extends|false|final|finally|float|fn|for|from|func|function|if|implements|import|in|int|interface|is|lambda|let|long|match|mut|namespace|new|nil|None|not|null|of|or|and|package|pass|private|protected|pub|public|raise|return|self|static|string|struct|super|switch|this|throw|throws|trait|True|False|true|try|type|typeof|undefined|use|using|val|var|void|where|while|with|yield|SELECT|FROM|WHERE|INSERT|UPDATE|DELETE|JOIN|GROUP|ORDER|BY|CREATE|TABLE';
const pattern = new RegExp(
  [
    String.raw`(?<comment>//.*$|(?:^|\s)#(?!\w{3,8}\b[;"']).*$|--\s.*$|/\*.*?(?:\*/|$)|<!--.*?(?:-->|$))`,
    String.raw`(?<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\x60(?:\\.|[^\x60\\])*\x60)`,
    String.raw`(?<number>\b(?:0x[\da-fA-F]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\b)`,
    String.raw`(?<word>\b(?:${words})\b)`,
  ].join('|'),
  'g',
);
/** A longer line is data, not code. */
const maxLineLength = 2_000;

export function splitTokens(line: string): Token[] {
  if (line.length > maxLineLength) return [{ text: line, kind: null }];
  const tokens: Token[] = [];
  let at = 0;
  for (const match of line.matchAll(pattern)) {
    if (match.index > at) tokens.push({ text: line.slice(at, match.index), kind: null });
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    tokens.push({ text: match[0], kind: kind as Token['kind'] });
    at = match.index + match[0].length;
  }
  if (at < line.length) tokens.push({ text: line.slice(at), kind: null });
  return tokens;
}
