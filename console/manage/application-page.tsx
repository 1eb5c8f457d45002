// One application: its data, actions, certificates and code samples.

import { type Application, changeApplication, removeApplication, showApplication } from '@cabinet/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { codeOf, showError } from '../parts/error-text.ts';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { Link } from '../routing/link.tsx';
import { go } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { formatTime } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { ApplicationBadges } from './applications-page.tsx';
import { Certificates } from './certificates.tsx';
import { CopiedText } from './copied-text.tsx';
import { ConfirmDialog } from './form-dialog.tsx';
import { PageHead } from './page-head.tsx';
import { RotateSecret } from './rotate-secret.tsx';
import { Snippets } from './snippets.tsx';
import { useLocale, useManageWords } from './use-manage-words.ts';

export function ApplicationPage({ appKey }: { appKey: string }) {
  const words = useManageWords();
  const { space, cabinet } = useSession();
  const params = useSpaceParams();
  const { data, error, refetch } = useQuery({
    queryKey: ['manage', space.Id, 'applications', appKey],
    queryFn: ({ signal }) => showApplication(cabinet, appKey, { signal }),
  });
  const isGone = codeOf(error) === 'ApplicationNotFound' || data?.State === 'removed';
  return (
    <>
      <Link className="manage-back" to={{ page: 'manage', id: 'applications', params }}>
        <Icon name="next" size={16} />
        {words.applications.back}
      </Link>
      {isGone ? (
        <>
          <h1 id="page-title" className="unseen">
            {words.pages.applications}
          </h1>
          <Empty icon="key" title={words.applications.gone}>
            <p>{words.applications.goneHelp}</p>
          </Empty>
        </>
      ) : (
        <>
          {data === undefined && (
            <h1 id="page-title" className="unseen">
              {words.pages.applications}
            </h1>
          )}
          {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
          {data === undefined && error === null && <Skeleton rows={7} label={words.loading} />}
          {data !== undefined && <Shown application={data} />}
        </>
      )}
    </>
  );
}

function Shown({ application }: { application: Application }) {
  const words = useManageWords().applications;
  const locale = useLocale();
  return (
    <>
      <PageHead title={application.Name} lead={<ApplicationBadges application={application} />}>
        <Actions application={application} />
      </PageHead>
      <dl className="manage-facts manage-facts-wide">
        <div className="manage-fact-long">
          <dt>{words.appKeyLabel}</dt>
          <dd>
            <CopiedText what={words.appKey} text={application.AppKey} />
          </dd>
        </div>
        <div>
          <dt>{words.kind}</dt>
          <dd>{words.kinds[application.Kind]}</dd>
        </div>
        <div>
          <dt>{words.createdAt}</dt>
          <dd>{formatTime(application.CreatedAt, locale)}</dd>
        </div>
        {application.RedirectUris !== undefined && application.RedirectUris.length > 0 && (
          <div>
            <dt>{words.redirect}</dt>
            <dd dir="ltr">{application.RedirectUris.join(' ')}</dd>
          </div>
        )}
      </dl>
      {application.Kind === 'server' && <Certificates application={application} />}
      <Snippets application={application} />
    </>
  );
}

type Asking = 'rotate' | 'disable' | 'remove' | null;

function Actions({ application }: { application: Application }) {
  const { applications: words, remove } = useManageWords();
  const { cabinet } = useSession();
  const troubleWords = useWords();
  const params = useSpaceParams();
  const { refresh, leave } = useRefresh();
  const [asking, setAsking] = useState<Asking>(null);
  const { AppKey: appKey, Name: name, State: state } = application;
  const close = () => setAsking(null);
  const setState = async (to: 'active' | 'disabled') => {
    await changeApplication(cabinet, { appKey, state: to });
    await refresh();
    close();
    notify({ text: to === 'active' ? words.wasEnabled(name) : words.wasDisabled(name) });
  };
  const takeAway = async () => {
    await removeApplication(cabinet, appKey);
    go({ page: 'manage', id: 'applications', params });
    await leave(appKey);
    notify({ text: words.wasRemoved(name) });
  };
  return (
    <>
      {application.Kind === 'client' && (
        <Button icon="again" onPress={() => setAsking('rotate')}>
          {words.rotate}
        </Button>
      )}
      {state === 'active' ? (
        <Button icon="pause" onPress={() => setAsking('disable')}>
          {words.disable}
        </Button>
      ) : (
        <Button
          icon="play"
          onPress={() => void setState('active').catch((error: unknown) => showError(error, troubleWords))}
        >
          {words.enable}
        </Button>
      )}
      <Button icon="trash" onPress={() => setAsking('remove')}>
        {remove}
      </Button>
      {asking === 'rotate' && <RotateSecret application={application} onClose={close} />}
      {asking === 'disable' && (
        <ConfirmDialog
          title={words.disableTitle(name)}
          help={words.disableHelp}
          confirm={words.disable}
          onConfirm={() => setState('disabled')}
          onClose={close}
        />
      )}
      {asking === 'remove' && (
        <ConfirmDialog
          title={words.removeTitle(name)}
          help={words.removeHelp}
          confirm={remove}
          onConfirm={takeAway}
          onClose={close}
        />
      )}
    </>
  );
}

interface Refresh {
  refresh: () => Promise<void>;
  /** Invalidates the list only: the page of a removed application may still be mounted and would refetch it. */
  leave: (appKey: string) => Promise<void>;
}

function useRefresh(): Refresh {
  const queries = useQueryClient();
  const { space } = useSession();
  const queryKey = ['manage', space.Id, 'applications'];
  const leave = async (appKey: string) => {
    await queries.invalidateQueries({ queryKey: [...queryKey, appKey], refetchType: 'none' });
    await queries.invalidateQueries({ queryKey, exact: true });
  };
  return { refresh: () => queries.invalidateQueries({ queryKey }), leave };
}
