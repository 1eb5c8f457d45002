// The trash: restore entries or remove them for good.

import { deleteEntry, type Operations } from '@cabinet/client';
import { call, callPage } from '@cabinet/client/requests';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { iconOf } from '../files/kind.ts';
import { Button, IconButton } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { codeOf, showError } from '../parts/error-text.ts';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatSize, formatWhen } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import './trash-page.css';

type Trashed = Operations['GET /trash']['answer']['Entries'][number];

export function TrashPage() {
  const words = useWords();
  const { cabinet, canWrite, isGuest } = useSession();
  const queries = useQueryClient();
  const [sure, setSure] = useState<Trashed | 'all' | null>(null);
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
  const remove = (target: Trashed | 'all') => {
    setSure(null);
    const removing =
      target === 'all'
        ? call(cabinet, 'DELETE /trash', {}).then(({ Removed }) => Removed)
        : deleteEntry(cabinet, { id: target.Entry.Id, permanent: true }).then(() => 1);
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
          <ul className="trashed">
            {trashed.map((one) => (
              <Line
                key={one.Entry.Id}
                trashed={one}
                onRestore={() =>
                  void after(restore(cabinet, one).then(() => notify({ text: words.trash.restored(one.Entry.Name) })))
                }
                onRemove={() => setSure(one)}
              />
            ))}
          </ul>
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
  target: Trashed | 'all';
  onConfirm(): void;
  onClose(): void;
}

function ConfirmRemoval({ target, onConfirm, onClose }: ConfirmRemovalProps) {
  const words = useWords();
  return (
    <Dialog
      isAlert
      title={target === 'all' ? words.trash.sure : words.trash.sureOne(target.Entry.Name)}
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

/** Restores to the original folder, or to the root if that is gone. */
async function restore(cabinet: Parameters<typeof call>[0], { Entry }: Trashed): Promise<void> {
  const path = { id: Entry.Id };
  try {
    await call(cabinet, 'POST /entries/{id}/restore', { path, json: { ConflictBehavior: 'Rename' } });
  } catch (error) {
    if (codeOf(error) !== 'FolderNotFound') throw error;
    const json = { ParentFolderId: '-root-', ConflictBehavior: 'Rename' } as const;
    await call(cabinet, 'POST /entries/{id}/restore', { path, json });
  }
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
  onRestore(): void;
  onRemove(): void;
}

function Line({ trashed: { Entry, Path, TrashedAt, TrashedBy }, onRestore, onRemove }: LineProps) {
  const words = useWords();
  const { canWrite } = useSession();
  const above = Path.slice(0, Path.lastIndexOf('/')) || '/';
  return (
    <li className="trashed-one">
      <span className={Entry.Type === 'folder' ? 'entry-icon entry-icon-folder' : 'entry-icon'}>
        <Icon name={iconOf(Entry)} size={24} />
      </span>
      <div>
        <strong>
          <bdi>{Entry.Name}</bdi>
        </strong>
        <p>
          {words.trash.was} <bdi>{above}</bdi> · {formatSize(Entry.Size, words.locale)} · {words.trash.when}{' '}
          {words.details.byWhom(formatWhen(TrashedAt, words.locale), TrashedBy)}
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
