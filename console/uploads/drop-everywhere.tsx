// Accepts files dropped anywhere on the page, and shows where they go.

import { useEffect, useState } from 'react';
import { hasFiles } from '../files/drag.ts';
import { Icon } from '../parts/icon.tsx';
import { useWords } from '../words/words.tsx';
import { type DroppedFiles, gatherDropped } from './dropped-files.ts';
import './drop-everywhere.css';

export function DropEverywhere({ name, onGiven }: { name: string; onGiven(given: DroppedFiles): void }) {
  const words = useWords();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const end = () => setOver(false);
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
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
  }, [onGiven]);
  if (!isOver) return null;
  return (
    <div className="drop-everywhere">
      <p>
        <Icon name="upload" size={26} />
        {words.files.dropInto(name)}
      </p>
    </div>
  );
}
