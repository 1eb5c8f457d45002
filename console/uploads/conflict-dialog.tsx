// The dialog for an upload whose name is taken: replace, keep both or skip, once or for all.

import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useWords } from '../words/words.tsx';
import { uploads } from './queue.ts';
import type { Conflict } from './upload.ts';

export function ConflictDialog() {
  const words = useWords();
  const [isForAll, setForAll] = useState(false);
  const { asking } = uploads;
  if (asking === null) return null;
  const left =
    uploads.uploads.filter(({ state }) => ['waiting', 'running', 'stalled', 'asking'].includes(state)).length - 1;
  const answer = (choice: Conflict | 'skip') => uploads.answer(asking, choice, isForAll);
  const choices = [
    { choice: 'Version', label: words.uploads.newVersion, help: words.uploads.newVersionHelp },
    { choice: 'Rename', label: words.uploads.keepBoth, help: words.uploads.keepBothHelp },
    { choice: 'skip', label: words.uploads.skip, help: words.uploads.skipHelp },
  ] as const;
  return (
    <Dialog key={asking.id} title={words.uploads.conflict(asking.name)} isAlert onClose={() => answer('skip')}>
      <p>{words.uploads.conflictHelp}</p>
      <div className="conflict-choices">
        {choices.map(({ choice, label, help }, index) => (
          <Button
            key={choice}
            look={index === 0 ? 'main' : 'plain'}
            autoFocus={index === 0}
            onPress={() => answer(choice)}
          >
            <span className="conflict-choice">
              {label}
              <small>{help}</small>
            </span>
          </Button>
        ))}
      </div>
      {left > 0 && (
        <label className="check">
          <input type="checkbox" checked={isForAll} onChange={(event) => setForAll(event.target.checked)} />
          {words.uploads.forAll(left)}
        </label>
      )}
    </Dialog>
  );
}
