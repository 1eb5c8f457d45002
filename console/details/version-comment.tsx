// The comment on a version, and the field that changes it.

import { commentVersion, type Entry, type Version } from '@cabinet/client';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { showError } from '../parts/error-text.ts';
import { Field } from '../parts/field.tsx';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import { useWorkWords } from '../words/use-work-words.ts';
import { useWords } from '../words/words.tsx';

interface VersionCommentProps {
  entry: Entry;
  version: Version;
  /** The other actions on the version, in the same row. */
  children: ReactNode;
}

export function VersionComment({ entry, version, children }: VersionCommentProps) {
  const { comment: words } = useWorkWords();
  const all = useWords();
  const { cabinet, canWrite } = useSession();
  const queries = useQueryClient();
  const [text, setText] = useState<string | null>(null);
  const known = version.Comment ?? '';
  const save = async (comment: string) => {
    try {
      await commentVersion(cabinet, { id: entry.Id, version: version.Version, comment: comment || null });
      await queries.invalidateQueries({ queryKey: ['versions', entry.Id] });
      notify({ text: words.saved });
      setText(null);
    } catch (error) {
      showError(error, all);
    }
  };
  if (text !== null) {
    return (
      <form
        className="version-edit"
        onSubmit={(event) => {
          event.preventDefault();
          void save(text.trim());
        }}
      >
        <Field
          label={words.label(version.Version)}
          isLabelUnseen
          placeholder={words.hint}
          autoFocus
          value={text}
          onChange={setText}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') event.continuePropagation();
            else setText(null);
          }}
        />
        <Button type="submit">{words.save}</Button>
      </form>
    );
  }
  return (
    <>
      {known !== '' && <p className="version-comment">{known}</p>}
      <div className="version-actions">
        {children}
        {canWrite && (
          <Button
            look="quiet"
            aria-label={`${known === '' ? words.add : words.change}: ${all.versions.version(version.Version)}`}
            onPress={() => setText(known)}
          >
            {known === '' ? words.add : words.change}
          </Button>
        )}
      </div>
    </>
  );
}
