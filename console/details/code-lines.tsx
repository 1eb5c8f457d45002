// Source code with line numbers and colours.

import type { Entry } from '@cabinet/client';
import { useMemo } from 'react';
import { highlightLines, languageOf, type Token } from './highlight.ts';
import { Lines } from './lines.tsx';

/** Colouring more takes too long. */
const maxChars = 200_000;

export function CodeLines({ text, entry: { Name, ContentType } }: { text: string; entry: Entry }) {
  const tokens = useMemo(() => {
    const language = languageOf(Name, ContentType);
    return language === null || text.length > maxChars ? null : highlightLines(text, language);
  }, [text, Name, ContentType]);
  return <Lines text={text} isCode render={(line, index) => toElements(tokens?.[index]) ?? line} />;
}

function toElements(tokens: readonly Token[] | undefined) {
  return tokens?.map(({ text, kind }, index) =>
    kind === null ? (
      text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: tokens of one line stay in their order
      <span key={index} className={`tok-${kind}`}>
        {text}
      </span>
    ),
  );
}
