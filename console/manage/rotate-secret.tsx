// Gives an application a new secret; the old one may stay valid for a while.

import { type Application, type RegisteredApplication, rotateSecret } from '@cabinet/client';
import { useState } from 'react';
import { Choice } from '../parts/field.tsx';
import { notify } from '../parts/notices.tsx';
import { useSession } from '../session/session-context.tsx';
import { SecretOnce } from './add-application.tsx';
import { FormDialog } from './form-dialog.tsx';
import { useManageWords } from './use-manage-words.ts';

export function RotateSecret({ application, onClose }: { application: Application; onClose(): void }) {
  const words = useManageWords().applications;
  const { cabinet } = useSession();
  const [overlap, setOverlap] = useState('3600');
  const [made, setMade] = useState<RegisteredApplication | null>(null);
  const rotate = async () => {
    const { AppKey: appKey } = application;
    setMade(await rotateSecret(cabinet, { appKey, overlapSeconds: Number(overlap) }));
    notify({ text: words.rotated(application.Name) });
  };
  if (made !== null) return <SecretOnce application={made} onClose={onClose} />;
  return (
    <FormDialog title={words.rotateTitle(application.Name)} submit={words.rotate} onSend={rotate} onClose={onClose}>
      <p>{words.rotateHelp}</p>
      <Choice label={words.overlap} value={overlap} options={words.overlaps} onChange={setOverlap} />
    </FormDialog>
  );
}
