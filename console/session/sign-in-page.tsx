// The sign-in page.

import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { Mark } from '../shell/mark.tsx';
import { useWords } from '../words/words.tsx';
import { beginSignIn, type SessionProblem, SignInFailed } from './session.ts';
import './sign-in-page.css';

export function SignInPage({ problem }: { problem: SessionProblem | null }) {
  const words = useWords();
  const [isBusy, setBusy] = useState(false);
  const [failed, setFailed] = useState(problem);
  const begin = () => {
    setBusy(true);
    beginSignIn().catch((error: unknown) => {
      setBusy(false);
      setFailed(error instanceof SignInFailed ? error.problem : 'unreachable');
    });
  };
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <Mark size={52} />
        <h1>{words.signIn.title}</h1>
        <p>{words.signIn.lead}</p>
        {failed !== null && (
          <p className="sign-in-problem" role="alert">
            {words.signIn.problems[failed]}
          </p>
        )}
        <Button look="main" autoFocus isDisabled={isBusy} onPress={begin}>
          {isBusy ? words.signIn.busy : words.signIn.button}
        </Button>
      </div>
      <div className="sign-in-drawers" aria-hidden="true">
        <span />
        <span />
        <span />
      </div>
    </main>
  );
}
