// The list of keyboard shortcuts, opened by `?`.

import { useEffect } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import type { Words } from '../words/en.ts';
import { useWords } from '../words/words.tsx';
import './shortcuts.css';

const keys: readonly [keyof Words['shortcuts'], string][] = [
  ['open', 'Enter'],
  ['up', 'Backspace'],
  ['select', 'Space'],
  ['extend', 'Shift ↑ ↓'],
  ['all', 'Ctrl A'],
  ['none', 'Esc'],
  ['ends', 'Home, End'],
  ['rename', 'F2'],
  ['remove', 'Del'],
  ['cut', 'Ctrl X'],
  ['copy', 'Ctrl C'],
  ['paste', 'Ctrl V'],
  ['details', 'I'],
  ['star', 'S'],
  ['menu', 'Shift F10'],
  ['find', 'A … Z'],
  ['newFolder', 'N'],
  ['search', '/'],
  ['neighbour', '← →'],
  ['zoom', '+ - 0'],
  ['rotate', 'R'],
  ['help', '?'],
];

export function Shortcuts({ isOpen, setOpen }: { isOpen: boolean; setOpen(isOpen: boolean): void }) {
  const words = useWords();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = (event.target as HTMLElement).closest('input, textarea, [role=dialog]') !== null;
      if (event.key === '?' && !isTyping) setOpen(true);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [setOpen]);
  if (!isOpen) return null;
  return (
    <Dialog title={words.shell.shortcuts} onClose={() => setOpen(false)}>
      <dl className="shortcuts">
        {keys.map(([name, shown]) => (
          <div key={name}>
            <dt>{words.shortcuts[name]}</dt>
            <dd>
              <kbd>{shown}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
