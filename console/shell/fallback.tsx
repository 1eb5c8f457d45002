// The error boundary around the page.

import { Component, type ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { useWords } from '../words/words.tsx';

/** Error boundaries must be classes. */
export class Fallback extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    return this.state.error === null ? this.props.children : <Fault error={this.state.error} />;
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
