// The trash: restore entries or remove them for good.

import { type Cabinet, CabinetError, changeEntries, type Operations } from '@cabinet/client';
import { call, callPage } from '@cabinet/client/requests';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { iconOf } from '../files/kind.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { codeOf, showError } from '../parts/error-text.ts';
import { Field } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { showActor } from '../words/actor.ts';
import { formatSize, formatWhen } from '../words/format.ts';
import { useWorkWords } from '../words/use-work-words.ts';
import { useWords } from '../words/words.tsx';
import './trash-page.css';

/** Everything, or these. */
type Sure = readonly Trashed[] | 'all';
type Trashed = Operations['GET /trash']['answer']['Entries'][number];

export function TrashPage() {
  const words = useWords();
  const { cabinet, canWrite, isGuest } = useSession();
  const queries = useQueryClient();
  const { trash: work } = useWorkWords();
  const [sure, setSure] = useState<Sure | null>(null);
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useTrash();
  useEffect(() => {
    document.title = `${words.trash.title} – Cabinet`;
  }, [words]);
  const trashed = data?.pages.flatMap(({ Entries }) => Entries) ?? [];
  const after = async (act: Promise<unknown>) => {
    try {
      await act;
      await queries.invalidateQueries({ queryKey: ['trash'] });
      await queries.invalidateQueries({ queryKey: ['listing'] });
      await queries.invalidateQueries({ queryKey: ['tree'] });
    } catch (failed) {
      showError(failed, words);
    }
  };
  const remove = (target: Sure) => {
    setSure(null);
    const removing =
      target === 'all' ? call(cabinet, 'DELETE /trash', {}).then(({ Removed }) => Removed) : removeAll(cabinet, target);
    void after(removing.then((count) => notify({ text: words.trash.removed(count) })));
  };
  return (
    <section className="paper" aria-labelledby="page-title">
      <header className="paper-head">
        <h1 id="page-title">{words.trash.title}</h1>
        {canWrite && !isGuest && trashed.length > 0 && (
          <Button icon="trash" onPress={() => setSure('all')}>
            {words.trash.empty}
          </Button>
        )}
      </header>
      <div className="paper-body">
        {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton label={words.files.loading} />}
        {data !== undefined && trashed.length === 0 && <EmptyTrash />}
        {trashed.length > 0 && (
          <TrashList
            trashed={trashed}
            onRestore={(chosen) => {
              const [one] = chosen;
              const text = (count: number) =>
                chosen.length === 1 ? words.trash.restored(one?.Entry.Name ?? '') : work.restored(count);
              void after(restoreAll(cabinet, chosen).then((count) => notify({ text: text(count) })));
            }}
            onRemove={setSure}
          />
        )}
        {hasNextPage && (
          <div className="found-more">
            <Button isDisabled={isFetching} onPress={() => void fetchNextPage()}>
              {words.find.next}
            </Button>
          </div>
        )}
      </div>
      {sure !== null && <ConfirmRemoval target={sure} onConfirm={() => remove(sure)} onClose={() => setSure(null)} />}
    </section>
  );
}

interface TrashListProps {
  trashed: readonly Trashed[];
  onRestore(chosen: readonly Trashed[]): void;
  onRemove(chosen: readonly Trashed[]): void;
}

function TrashList({ trashed, onRestore, onRemove }: TrashListProps) {
  const { trash: work } = useWorkWords();
  const [filter, setFilter] = useState('');
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const wanted = filter.trim().toLowerCase();
  const shown = trashed.filter(({ Entry }) => Entry.Name.toLowerCase().includes(wanted));
  const chosen = shown.filter(({ Entry }) => picked.has(Entry.Id));
  return (
    <>
      <TrashBar
        {...{ shown, chosen, filter, setFilter, setPicked }}
        onRestore={() => onRestore(chosen)}
        onRemove={() => onRemove(chosen)}
      />
      {shown.length === 0 && <p className="found-count">{work.none}</p>}
      <ul className="trashed">
        {shown.map((one) => (
          <Line
            key={one.Entry.Id}
            trashed={one}
            isPicked={picked.has(one.Entry.Id)}
            onPick={() => setPicked(picked.symmetricDifference(new Set([one.Entry.Id])))}
            onRestore={() => onRestore([one])}
            onRemove={() => onRemove([one])}
          />
        ))}
      </ul>
    </>
  );
}

function useTrash() {
  const { cabinet } = useSession();
  return useInfiniteQuery({
    queryKey: ['trash', cabinet.spaceId],
    staleTime: 0,
    queryFn: ({ pageParam, signal }) =>
      callPage(cabinet, 'GET /trash', { query: { cursor: pageParam, limit: 200 }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

interface ConfirmRemovalProps {
  target: Sure;
  onConfirm(): void;
  onClose(): void;
}

function ConfirmRemoval({ target, onConfirm, onClose }: ConfirmRemovalProps) {
  const words = useWords();
  const { trash: work } = useWorkWords();
  const [one] = target === 'all' ? [] : target;
  const title =
    target === 'all'
      ? words.trash.sure
      : target.length === 1
        ? words.trash.sureOne(one?.Entry.Name ?? '')
        : work.sure(target.length);
  return (
    <Dialog
      isAlert
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button autoFocus onPress={onClose}>
            {words.shell.cancel}
          </Button>
          <Button look="bad" onPress={onConfirm}>
            {words.trash.remove}
          </Button>
        </>
      }
    >
      <p>{words.trash.sureHelp}</p>
    </Dialog>
  );
}

/** Entries of one request. */
const atOnce = 500;

/** Each to its folder, or to the root if that is gone. */
async function restoreAll(cabinet: Cabinet, chosen: readonly Trashed[]): Promise<number> {
  const ids = chosen.map(({ Entry }) => Entry.Id);
  let count = 0;
  for (let start = 0; start < ids.length; start += atOnce) {
    const some = ids.slice(start, start + atOnce);
    const results = await changeEntries(cabinet, { action: 'restore', ids: some, conflict: 'Rename' });
    const homeless = some.filter((_, index) => codeOf(results[index]) === 'FolderNotFound');
    const more =
      homeless.length === 0
        ? []
        : await changeEntries(cabinet, { action: 'restore', ids: homeless, parent: '-root-', conflict: 'Rename' });
    count += [...results, ...more].filter((result) => !(result instanceof CabinetError)).length;
  }
  return count;
}

/** Rejects with the first error if nothing was removed. */
async function removeAll(cabinet: Cabinet, chosen: readonly Trashed[]): Promise<number> {
  const ids = chosen.map(({ Entry }) => Entry.Id);
  const results: unknown[] = [];
  for (let start = 0; start < ids.length; start += atOnce)
    results.push(...(await changeEntries(cabinet, { action: 'delete', ids: ids.slice(start, start + atOnce) })));
  const count = results.filter((result) => !(result instanceof CabinetError)).length;
  if (count === 0) throw results[0];
  return count;
}

interface TrashBarProps {
  shown: readonly Trashed[];
  chosen: readonly Trashed[];
  filter: string;
  setFilter(filter: string): void;
  setPicked(picked: ReadonlySet<string>): void;
  onRestore(): void;
  onRemove(): void;
}

function TrashBar({ shown, chosen, filter, setFilter, setPicked, onRestore, onRemove }: TrashBarProps) {
  const { trash: work } = useWorkWords();
  const { canWrite } = useSession();
  const isAll = shown.length > 0 && chosen.length === shown.length;
  return (
    <div className="trash-bar">
      {canWrite && (
        <input
          type="checkbox"
          className="trash-pick"
          aria-label={work.selectAll}
          checked={isAll}
          onChange={() => setPicked(new Set(isAll ? [] : shown.map(({ Entry }) => Entry.Id)))}
        />
      )}
      <Field label={work.filter} isLabelUnseen placeholder={work.filter} value={filter} onChange={setFilter} />
      {chosen.length > 0 && <Button onPress={onRestore}>{work.restore(chosen.length)}</Button>}
      {chosen.length > 0 && <Button onPress={onRemove}>{work.remove(chosen.length)}</Button>}
    </div>
  );
}

function EmptyTrash() {
  const words = useWords();
  const { cabinet } = useSession();
  const { data } = useQuery({
    queryKey: ['limits'],
    queryFn: ({ signal }) => call(cabinet, 'GET /limits', { signal }),
  });
  return (
    <Empty icon="trash" title={words.trash.emptyTitle}>
      <p>{words.trash.emptyHelp(data?.TrashDays ?? null)}</p>
    </Empty>
  );
}

interface LineProps {
  trashed: Trashed;
  isPicked: boolean;
  onPick(): void;
  onRestore(): void;
  onRemove(): void;
}

function Line({ trashed, isPicked, onPick, onRestore, onRemove }: LineProps) {
  const { Entry, Path, TrashedAt, TrashedBy } = trashed;
  const { trash: work } = useWorkWords();
  const words = useWords();
  const { canWrite } = useSession();
  const above = Path.slice(0, Path.lastIndexOf('/')) || '/';
  return (
    <li className="trashed-one">
      {canWrite && (
        <input
          type="checkbox"
          className="trash-pick"
          aria-label={work.select(Entry.Name)}
          checked={isPicked}
          onChange={onPick}
        />
      )}
      <span className={Entry.Type === 'folder' ? 'entry-icon entry-icon-folder' : 'entry-icon'}>
        <Icon name={iconOf(Entry)} size={24} />
      </span>
      <div>
        <strong>
          <bdi>{Entry.Name}</bdi>
        </strong>
        <p>
          {words.trash.was} <bdi>{above}</bdi> · {formatSize(Entry.Size, words.locale)} · {words.trash.when}{' '}
          {words.details.byWhom(formatWhen(TrashedAt, words.locale), showActor(TrashedBy, words))}
        </p>
      </div>
      {canWrite && (
        <>
          <Button aria-label={`${words.trash.restore}: ${Entry.Name}`} onPress={onRestore}>
            {words.trash.restore}
          </Button>
          <IconButton icon="trash" label={`${words.trash.remove}: ${Entry.Name}`} onPress={onRemove} />
        </>
      )}
    </li>
  );
}
