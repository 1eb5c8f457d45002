// Which space is open. Whoever is in one only sees its name.

import { Choice } from '../parts/field.tsx';
import { go } from '../routing/router.ts';
import { useGround } from '../session/ground.tsx';
import { useWords } from '../words/words.tsx';

export function SpaceChoice() {
  const words = useWords();
  const { spaces, space } = useGround();
  if (spaces.length === 1) return null;
  const options = Object.fromEntries(spaces.map(({ Id, Name }) => [Id, Name]));
  return (
    <Choice
      label={words.shell.space}
      isLabelUnseen
      value={space.Id}
      options={options}
      onChange={(id) => go({ page: 'files', params: { space: id } })}
    />
  );
}
