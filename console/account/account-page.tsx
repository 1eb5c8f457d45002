// The account of the person: password, sign-ins, app passwords, and how to open a space as a drive.

import { showAccount } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { PageHead } from '../manage/page-head.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { AppPasswordsSection } from './app-passwords-section.tsx';
import { ConsentsSection } from './consents-section.tsx';
import { DriveSection } from './drive-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { SecondFactorsSection } from './second-factors-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { useAccountWords } from './use-account-words.ts';
import '../manage/manage-page.css';
import './account-page.css';

export function AccountPage() {
  const words = useAccountWords();
  const { cabinet } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => showAccount(cabinet, { signal }),
  });
  useEffect(() => {
    document.title = `${words.title} – Cabinet`;
    return () => {
      document.title = 'Cabinet';
    };
  }, [words]);
  return (
    <section className="paper account" aria-labelledby="page-title">
      <div className="paper-body manage-body">
        <PageHead title={words.title} lead={data === undefined ? '' : words.lead(data.Name, data.Id)} />
        {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton rows={6} label={words.loading} />}
        {data !== undefined && (
          <>
            <PasswordSection account={data} />
            {data.HasPassword && <SecondFactorsSection />}
            <AppPasswordsSection account={data} />
            <DriveSection account={data} />
            <SessionsSection />
            <ConsentsSection />
          </>
        )}
      </div>
    </section>
  );
}
