// Text with line numbers. Long ones are drawn bit by bit, so that the page responds meanwhile.

import { type ReactNode, startTransition, useEffect, useMemo, useState } from 'react';
import { useViewerWords } from './use-viewer-words.ts';

const maxLines = 5_000;
const step = 400;

interface LinesProps {
  text: string;
  isCode: boolean;
  /** What a line looks like; the text itself by default. */
  render?(line: string, index: number): ReactNode;
}

export function Lines({ text, isCode, render = (line) => line }: LinesProps) {
  const viewer = useViewerWords();
  const lines = useMemo(() => text.split(/\r?\n/), [text]);
  const most = Math.min(maxLines, lines.length);
  const [drawn, setDrawn] = useState(step);
  useEffect(() => {
    if (drawn < most) startTransition(() => setDrawn(drawn + step));
  }, [drawn, most]);
  return (
    <>
      {lines.length > maxLines && <p className="look-bar">{viewer.lines(maxLines)}</p>}
      <pre
        className={isCode ? 'look-code' : 'look-code look-wrap'}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it
        tabIndex={0}
      >
        {lines.slice(0, Math.min(most, drawn)).map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name than its number
          <span key={index}>{render(line, index)}</span>
        ))}
      </pre>
    </>
  );
}
