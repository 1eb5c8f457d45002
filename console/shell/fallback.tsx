// The error boundary around the page, or around a part that has something else to show.

import { Component, type ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { useWords } from '../words/words.tsx';

interface FallbackProps {
  children: ReactNode;
  /** Shown after an error; by default the message, and a button that reloads the page. */
  instead?: ReactNode;
}

/** Error boundaries must be classes. */
export class Fallback extends Component<FallbackProps, { error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    return error === null ? this.props.children : (this.props.instead ?? <Fault error={error} />);
  }
}

function Fault({ error }: { error: Error }) {
  const words = useWords();
  return (
    <div className="trouble" role="alert">
      <div>
        <h1>{words.trouble.page}</h1>
        <p>{words.trouble.pageHelp}</p>
        <pre>{error.message}</pre>
        <Button icon="again" onPress={() => window.location.reload()}>
          {words.trouble.reload}
        </Button>
      </div>
    </div>
  );
}
