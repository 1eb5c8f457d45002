// The certificates that a server-based application may show: added by a file, removed with a question.

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
import { Icon } from '../parts/icon.tsx';
import { tell } from '../parts/notices.tsx';
import { Skeleton, Trouble } from '../parts/states.tsx';
import { tellTrouble } from '../parts/trouble.ts';
import { useGround } from '../session/ground.tsx';
import { formatTime } from '../words/format.ts';
import { useWords } from '../words/words.tsx';
import { Sure } from './form-dialog.tsx';
import { Badge } from './page-head.tsx';
import { useLocale, useManageWords } from './use-manage-words.ts';

/** The service takes no more; a key or a photo chosen by mistake is not even read. */
const mostBytes = 65_536;

export function Certificates({ application }: { application: Application }) {
  const { applications: words, loading } = useManageWords();
  const all = useWords();
  const { space, cabinet } = useGround();
  const { AppKey: appKey } = application;
  const { data, error, refetch } = useQuery({
    queryKey: ['manage', space.Id, 'applications', appKey, 'certificates'],
    queryFn: ({ signal }) => listCertificates(cabinet, appKey, { signal }),
  });
  const add = async (file: File | undefined) => {
    if (file === undefined) return;
    const certificate = file.size > mostBytes ? '' : await file.text();
    if (!certificate.includes('-----BEGIN CERTIFICATE-----')) return tell({ text: words.notPem, isBad: true });
    await addCertificate(cabinet, { appKey, certificate });
    await refetch();
    tell({ text: words.certificateAdded });
  };
  return (
    <section className="manage-section" aria-labelledby="certificates">
      <h2 id="certificates">{words.certificates}</h2>
      <p>{data?.length === 0 ? words.noCertificates : words.certificatesHelp}</p>
      {error !== null && <Trouble error={error} onRetry={() => void refetch()} />}
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
          onSelect={(files) => void add(files?.[0]).catch((failed: unknown) => tellTrouble(failed, all))}
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
  const { cabinet } = useGround();
  const [isAsking, setAsking] = useState(false);
  const { Subject: subject, Thumbprint: thumbprint, NotAfter: notAfter } = certificate;
  const takeAway = async () => {
    await removeCertificate(cabinet, { appKey, thumbprint });
    setAsking(false);
    tell({ text: words.certificateRemoved });
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
        <Sure
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
