// The search box of the top bar. The query is in the address, so results can be shared.

import { useEffect, useRef, useState } from 'react';
import { Icon } from '../parts/icon.tsx';
import { currentRoute, go, useRoute } from '../routing/router.ts';
import { useSpaceParams } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import './search-box.css';

/** The pause after typing before results are fetched. */
const pauseMs = 180;

export function SearchBox() {
  const words = useWords();
  const { page, params } = useRoute();
  const space = useSpaceParams();
  const query = page === 'search' ? (params.q ?? '') : '';
  const [text, setText] = useState(query);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // Not while typing: the input is ahead of the address.
    if (document.activeElement !== input.current) setText(query);
  }, [query]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.key !== '/' || target.closest('input, textarea, [contenteditable], [role=dialog]') !== null) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  const search = (q: string) => {
    const place = currentRoute();
    const isThere = place.page === 'search';
    if (q.trim() === '' && !isThere) return;
    // From a folder: everywhere, with a filter at hand for this folder alone.
    const from = isThere
      ? place.params
      : { ...space, ...(place.page === 'files' && place.id !== null && { from: place.id }) };
    go({ page: 'search', params: { ...from, q } }, { isReplaced: isThere });
  };
  const type = (typed: string) => {
    setText(typed);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => search(typed), pauseMs);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: `search` is not known to every screen reader yet
    <form
      className="search-box"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        clearTimeout(timer.current);
        search(text);
      }}
    >
      <Icon name="search" size={18} />
      <input
        ref={input}
        type="search"
        name="q"
        autoComplete="off"
        spellCheck={false}
        aria-label={words.shell.search}
        placeholder={words.shell.search_placeholder}
        value={text}
        onChange={(event) => type(event.target.value)}
      />
      <span aria-hidden="true">
        <kbd>/</kbd>
      </span>
    </form>
  );
}
