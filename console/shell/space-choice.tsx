// The space switcher, for users of several.

import { Choice } from '../parts/field.tsx';
import { go } from '../routing/router.ts';
import { useSession } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';

export function SpaceChoice() {
  const words = useWords();
  const { spaces, space } = useSession();
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
