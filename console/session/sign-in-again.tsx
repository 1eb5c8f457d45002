// The dialog for a session that expired while the page was open; the page stays visible behind it.

import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useWords } from '../words/words.tsx';
import { beginSignIn } from './session.ts';

export function SignInAgain({ onClose }: { onClose(): void }) {
  const { signIn: words } = useWords();
  return (
    <Dialog
      title={words.again}
      isAlert
      onClose={onClose}
      actions={
        <Button look="main" onPress={() => void beginSignIn().catch(() => undefined)}>
          {words.button}
        </Button>
      }
    >
      <p>{words.againHelp}</p>
    </Dialog>
  );
}
