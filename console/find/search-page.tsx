// Search as you type: results with snippets, filters in the address, more results on scrolling.

import { hasCode, type Operations } from '@cabinet/client';
import { callPage } from '@cabinet/client/requests';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { Thumbnail } from '../files/thumbnail.tsx';
import { Button } from '../parts/button.tsx';
import { Choice } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { announce } from '../parts/notices.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { Link } from '../routing/link.tsx';
import { setParams, useRoute } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { formatSize, formatWhen } from '../words/format.ts';
import { useWorkWords } from '../words/use-work-words.ts';
import { useWords } from '../words/words.tsx';
import { type SnippetPart, splitSnippet } from './snippet.ts';
import './search-page.css';

type Result = Operations['GET /search']['answer']['Results'][number];

const dayMs = 24 * 3600 * 1000;

export function SearchPage() {
  const words = useWords();
  const text = (useRoute().params.q ?? '').trim();
  const { data, error, isFetching, hasNextPage, fetchNextPage, refetch } = useSearch(text);
  const results = withoutRepeats(data?.pages.flatMap(({ results }) => results) ?? []);
  const summary = words.find.found(results.length, hasNextPage);
  useEffect(() => {
    if (text !== '' && data !== undefined && !isFetching) announce(summary);
  }, [text, data, isFetching, summary]);
  useEffect(() => {
    document.title = `${words.find.title} – Cabinet`;
  }, [words]);
  return (
    <section className="paper" aria-labelledby="page-title">
      <header className="paper-head">
        <h1 id="page-title">{words.find.title}</h1>
        <Filters />
      </header>
      <Chips />
      <div className="paper-body">
        {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
        {text === '' && (
          <Empty icon="search" title={words.find.title}>
            <p>{words.find.hint}</p>
          </Empty>
        )}
        {text !== '' && data === undefined && error === null && <Skeleton label={words.files.loading} />}
        {text !== '' && data !== undefined && results.length === 0 && !isFetching && (
          <Empty icon="search" title={words.find.nothing}>
            <p>{words.find.nothingHelp}</p>
          </Empty>
        )}
        {text !== '' && results.length > 0 && (
          <>
            <p className="found-count">{summary}</p>
            <ul className="found">
              {results.map((result) => (
                <FoundEntry key={result.Entry.Id} result={result} />
              ))}
            </ul>
          </>
        )}
        {hasNextPage && (
          <div className="found-more">
            <Button isDisabled={isFetching} onPress={() => void fetchNextPage()}>
              {words.find.next}
            </Button>
          </div>
        )}
      </div>
    </section>
  );
}

/** Names that contain the text come first, then what has its words anywhere. */
interface Place {
  match: 'part' | 'words';
  cursor?: string | undefined;
}

/** What is found by its name can be found by its words too. */
function withoutRepeats(results: readonly Result[]): Result[] {
  return [...new Map(results.map((result) => [result.Entry.Id, result])).values()];
}

/** The results of a query with the filters in the address. */
function useSearch(text: string) {
  const { cabinet } = useSession();
  const { type = '', kind = '', since = '', folder = '' } = useRoute().params;
  // The same for all pages: a cursor is valid only for its query.
  const modifiedAfter = useMemo(() => toTimeAgo(since), [since]);
  return useInfiniteQuery({
    queryKey: ['search', cabinet.spaceId, text, type, kind, modifiedAfter, folder],
    enabled: text !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ pageParam, signal }) => {
      const filters = {
        type: (type || undefined) as 'file' | 'folder' | undefined,
        contentType: kind || undefined,
        folder: folder || undefined,
        modifiedAfter,
      };
      const find = async ({ match, cursor }: Place): Promise<Found> => {
        const query = { ...filters, match, cursor, limit: 50, q: match === 'part' ? text : toQuery(text) };
        const { Results, next } = await callPage(cabinet, 'GET /search', { query, signal });
        return { results: Results, next: next === null ? null : { match, cursor: next } };
      };
      const found = await find(pageParam);
      if (pageParam.match === 'words' || found.next !== null) return found;
      const { results, next } = await find({ match: 'words' }).catch(toNothing);
      return { results: [...found.results, ...results], next };
    },
    initialPageParam: { match: 'part' } as Place,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

interface Found {
  results: Result[];
  next: Place | null;
}

/** A part of a name may be no query of words, such as `_2`. */
function toNothing(error: unknown): Found {
  if (!hasCode(error, 'InvalidField')) throw error;
  return { results: [], next: null };
}

/** While typing, the last word is a prefix. An unmatched quotation mark is ignored. */
function toQuery(text: string): string {
  if ((text.match(/"/g)?.length ?? 0) % 2 === 1) return text.replace(/"(?=[^"]*$)/, '').trim();
  return /[\p{L}\p{N}]{3,}$/u.test(text) ? `${text}*` : text;
}

function toTimeAgo(days: string): string | undefined {
  return days === '' ? undefined : new Date(Date.now() - Number(days) * dayMs).toISOString();
}

function Filters() {
  const { find } = useWords();
  const { params } = useRoute();
  const set = (name: string) => (value: string) => setParams({ [name]: value }, { isReplaced: true });
  const { from = '' } = params;
  return (
    <div className="filters">
      {from !== '' && (
        <Choice
          label={find.within}
          isLabelUnseen
          value={params.folder ?? ''}
          options={{ '': find.everywhere, [from]: find.thisFolder }}
          onChange={set('folder')}
        />
      )}
      <Choice label={find.type} isLabelUnseen value={params.type ?? ''} options={find.types} onChange={set('type')} />
      <Choice label={find.kind} isLabelUnseen value={params.kind ?? ''} options={find.kinds} onChange={set('kind')} />
      <Choice
        label={find.since}
        isLabelUnseen
        value={params.since ?? ''}
        options={find.sinces}
        onChange={set('since')}
      />
    </div>
  );
}

/** The filters in use, each with a button that takes it away. */
function Chips() {
  const { find } = useWords();
  const { search: work } = useWorkWords();
  const { params } = useRoute();
  const { folder = '', type = '', kind = '', since = '' } = params;
  const labels: [name: string, label: string | undefined][] = [
    ['folder', folder === '' ? undefined : find.thisFolder],
    ['type', type === '' ? undefined : (find.types as Record<string, string>)[type]],
    ['kind', kind === '' ? undefined : (find.kinds as Record<string, string>)[kind]],
    ['since', since === '' ? undefined : (find.sinces as Record<string, string>)[since]],
  ];
  const used = labels.filter(([, label]) => label !== undefined);
  if (used.length === 0) return null;
  return (
    <ul className="chips" aria-label={work.chips}>
      {used.map(([name, label = '']) => (
        <li key={name}>
          <button
            type="button"
            className="chip"
            aria-label={work.remove(label)}
            onClick={() => setParams({ [name]: '' }, { isReplaced: true })}
          >
            {label}
            <Icon name="close" size={14} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function FoundEntry({ result: { Entry, Path, Snippet } }: { result: Result }) {
  const words = useWords();
  const params = useSpaceParams();
  const parts = splitSnippet(Snippet);
  const isInName = parts.map(({ text }) => text).join('') === Entry.Name;
  return (
    <li className="found-one">
      <span className={Entry.Type === 'folder' ? 'entry-icon entry-icon-folder' : 'entry-icon'}>
        <Thumbnail entry={Entry} size={64} iconSize={24} />
      </span>
      <div>
        <Link className="found-name" to={{ page: 'files', id: Entry.Id, params }}>
          <bdi>{isInName ? <Marked parts={parts} /> : Entry.Name}</bdi>
        </Link>
        <p className="found-path">
          <bdi>{Path.slice(0, -Entry.Name.length)}</bdi> · {formatSize(Entry.Size, words.locale)} ·{' '}
          {formatWhen(Entry.ModifiedAt, words.locale)}
        </p>
        {parts.length > 0 && !isInName && (
          <p className="found-snippet">
            <Marked parts={parts} />
          </p>
        )}
      </div>
    </li>
  );
}

function Marked({ parts }: { parts: readonly SnippetPart[] }) {
  return parts.map(({ text, isFound }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line stay in their order
    isFound ? <mark key={index}>{text}</mark> : text,
  );
}
