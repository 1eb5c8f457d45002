// Text with a copy button: a key, a secret, a command, code.

import { IconButton } from '../parts/button.tsx';
import { notify } from '../parts/notices.tsx';
import { useManageWords } from './use-manage-words.ts';

interface CopiedTextProps {
  /** What it is, as the button and the notice call it. */
  what: string;
  text: string;
  /** Several lines, as they stand. */
  isBlock?: boolean;
}

export function CopiedText({ what, text, isBlock = false }: CopiedTextProps) {
  const words = useManageWords();
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => notify({ text: words.copied(what) }),
      () => notify({ text: words.notCopied, isBad: true }),
    );
  return (
    <div className={isBlock ? 'copied copied-block' : 'copied'}>
      {isBlock ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        <pre dir="ltr" tabIndex={0}>
          {text}
        </pre>
      ) : (
        <code dir="ltr">{text}</code>
      )}
      <IconButton icon="copy" label={words.copy(what)} onPress={copy} />
    </div>
  );
}
