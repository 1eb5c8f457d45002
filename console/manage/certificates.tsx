// The certificates of a server-based application: add from a file, remove after confirmation.

import {
  type Application,
  addCertificate,
  type Certificate,
  listCertificates,
  removeCertificate,
} from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Button, IconButton } from '../parts/button.tsx';
import { showError } from '../parts/error-text.ts';
import { Icon } from '../parts/icon.tsx';
import { notify } from '../parts/notices.tsx';
import { ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { formatTime } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { ConfirmDialog } from './form-dialog.tsx';
import { Badge } from './page-head.tsx';
import { useLocale, useManageWords } from './use-manage-words.ts';

/** The limit of the service; a larger file chosen by mistake is not read. */
const maxBytes = 65_536;

export function Certificates({ application }: { application: Application }) {
  const { applications: words, loading } = useManageWords();
  const all = useWords();
  const { space, cabinet } = useSession();
  const { AppKey: appKey } = application;
  const { data, error, refetch } = useQuery({
    queryKey: ['manage', space.Id, 'applications', appKey, 'certificates'],
    queryFn: ({ signal }) => listCertificates(cabinet, appKey, { signal }),
  });
  const add = async (file: File | undefined) => {
    if (file === undefined) return;
    const certificate = file.size > maxBytes ? '' : await file.text();
    if (!certificate.includes('-----BEGIN CERTIFICATE-----')) return notify({ text: words.notPem, isBad: true });
    await addCertificate(cabinet, { appKey, certificate });
    await refetch();
    notify({ text: words.certificateAdded });
  };
  return (
    <section className="manage-section" aria-labelledby="certificates">
      <h2 id="certificates">{words.certificates}</h2>
      <p>{data?.length === 0 ? words.noCertificates : words.certificatesHelp}</p>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={2} label={loading} />}
      {data !== undefined && data.length > 0 && (
        <ul className="things">
          {data.map((one) => (
            <CertificateLine key={one.Thumbprint} appKey={appKey} certificate={one} onRemoved={() => void refetch()} />
          ))}
        </ul>
      )}
      <div className="manage-foot">
        <FileTrigger
          acceptedFileTypes={['.pem', '.crt', '.cer']}
          onSelect={(files) => void add(files?.[0]).catch((failed: unknown) => showError(failed, all))}
        >
          <Button icon="plus">{words.addCertificate}</Button>
        </FileTrigger>
      </div>
    </section>
  );
}

interface LineProps {
  appKey: string;
  certificate: Certificate;
  onRemoved(): void;
}

function CertificateLine({ appKey, certificate, onRemoved }: LineProps) {
  const { applications: words, remove } = useManageWords();
  const locale = useLocale();
  const { cabinet } = useSession();
  const [isAsking, setAsking] = useState(false);
  const { Subject: subject, Thumbprint: thumbprint, NotAfter: notAfter } = certificate;
  const takeAway = async () => {
    await removeCertificate(cabinet, { appKey, thumbprint });
    setAsking(false);
    notify({ text: words.certificateRemoved });
    onRemoved();
  };
  return (
    <li className="thing">
      <span className="thing-icon">
        <Icon name="scroll" />
      </span>
      <div className="thing-text">
        <p className="thing-name" dir="ltr">
          {subject}
        </p>
        <p className="thing-more">
          {words.validUntil(formatTime(notAfter, locale))} · <code>{thumbprint.slice(0, 12)}…</code>
        </p>
      </div>
      {Date.parse(notAfter) < Date.now() && <Badge look="bad">{words.expired}</Badge>}
      <IconButton icon="trash" label={words.removeCertificate(subject)} onPress={() => setAsking(true)} />
      {isAsking && (
        <ConfirmDialog
          title={words.removeCertificateTitle}
          help={words.removeCertificateHelp(subject)}
          confirm={remove}
          onConfirm={takeAway}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}
