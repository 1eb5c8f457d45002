// Accepts files dropped anywhere on the page, and shows where they go.

import { useEffect, useState } from 'react';
import { hasFiles, useDropHint } from '../files/drag.ts';
import { Icon } from '../parts/icon.tsx';
import { useWords } from '../words/words.tsx';
import { type DroppedFiles, gatherDropped } from './dropped-files.ts';
import './drop-everywhere.css';

/** `name`: the folder that takes files beside other folders; null: none does. */
export function DropEverywhere({ name, onGiven }: { name: string | null; onGiven(given: DroppedFiles): void }) {
  const { files } = useWords();
  const hint = useDropHint();
  const [isOver, setOver] = useState(false);
  const isAllowed = name !== null;
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Else the browser would leave the page and open the file.
      event.preventDefault();
      if (isAllowed) setOver(true);
      else if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none';
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const end = () => setOver(false);
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      if (!isAllowed) return;
      void gatherDropped(event.dataTransfer).then(onGiven);
    };
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('dragend', end);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('dragend', end);
      window.removeEventListener('drop', drop);
    };
  }, [onGiven, isAllowed]);
  const isUpload = hint === null ? isOver : hint.kind === 'upload';
  if (hint === null && !isOver) return null;
  const text =
    hint === null || hint.kind === 'upload'
      ? files.dropInto(hint?.name ?? name ?? '')
      : files.dropHints[hint.kind](hint.count, hint.name);
  return (
    <div className="drop-everywhere" data-whole={hint === null}>
      <p>
        <Icon name={isUpload ? 'upload' : hint?.kind === 'copy' ? 'copy' : 'move'} size={26} />
        {text}
      </p>
    </div>
  );
}
