// The name of an entry in a list, or the field that renames it.

import type { Entry } from '@cabinet/client';
import { useEffect, useRef, useState } from 'react';
import { showError } from '../parts/error-text.ts';
import { useWords } from '../words/words.tsx';

interface RenameProps {
  entry: Entry;
  /** Rejects if the name is refused; the field then stays open. */
  onRename(name: string): Promise<void>;
  onEnd(): void;
}

export function RenameField({ entry, onRename, onEnd }: RenameProps) {
  const words = useWords();
  const [name, setName] = useState(entry.Name);
  /** The initial name: later updates of the entry must not reset the selection while typing. */
  const [opened] = useState(entry);
  const isBusy = useRef(false);
  /** A refused name is not sent again on blur. */
  const refused = useRef<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const dot = opened.Type === 'file' ? opened.Name.lastIndexOf('.') : -1;
    input.current?.focus();
    input.current?.setSelectionRange(0, dot > 0 ? dot : opened.Name.length);
  }, [opened]);
  const commit = async () => {
    if (isBusy.current) return;
    if (name === entry.Name || name.trim() === '') return onEnd();
    isBusy.current = true;
    try {
      await onRename(name);
      onEnd();
    } catch (error) {
      showError(error, words);
      refused.current = name;
      input.current?.focus();
    } finally {
      isBusy.current = false;
    }
  };
  return (
    <input
      ref={input}
      className="rename"
      aria-label={words.files.newName(entry.Name)}
      value={name}
      onChange={(event) => setName(event.target.value)}
      onBlur={() => refused.current !== name && void commit()}
      onDoubleClick={(event) => event.stopPropagation()}
      onPointerDown={(event) => event.stopPropagation()}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Enter') void commit();
        if (event.key === 'Escape') onEnd();
      }}
    />
  );
}
