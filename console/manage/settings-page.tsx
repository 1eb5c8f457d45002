// The effective settings, read-only: they are changed in the configuration of the service.

import { type Setting, showSettings } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../parts/field.tsx';
import { Empty, ErrorState, Skeleton } from '../parts/states.tsx';
import { useSession } from '../session/session-context.tsx';
import { Tick } from './chosen.tsx';
import { Badge, PageHead } from './page-head.tsx';
import { useManageWords } from './use-manage-words.ts';

export function SettingsPage() {
  const words = useManageWords();
  const { space, cabinet } = useSession();
  const { data, error, refetch } = useQuery({
    queryKey: ['manage', space.Id, 'settings'],
    queryFn: ({ signal }) => showSettings(cabinet, { signal }),
  });
  return (
    <>
      <PageHead title={words.pages.settings} lead={words.settings.lead} />
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={10} label={words.loading} />}
      {data !== undefined && <SettingList settings={data.Settings} />}
    </>
  );
}

function SettingList({ settings }: { settings: readonly Setting[] }) {
  const words = useManageWords().settings;
  const [text, setText] = useState('');
  const [isChangedOnly, setChangedOnly] = useState(false);
  const sought = text.trim().toLowerCase();
  const shown = settings.filter(
    ({ Name, About, Value, IsDefault }) =>
      !(isChangedOnly && IsDefault) && `${Name} ${About} ${Value}`.toLowerCase().includes(sought),
  );
  const isNothingChanged = isChangedOnly && sought === '';
  return (
    <>
      <search className="settings-tools">
        <Field label={words.find} value={text} onChange={setText} type="search" autoComplete="off" />
        <Tick isSelected={isChangedOnly} onChange={setChangedOnly}>
          {words.changed}
        </Tick>
      </search>
      {shown.length === 0 ? (
        <Empty icon="gear" title={isNothingChanged ? words.noneChanged : words.none}>
          <p>{isNothingChanged ? words.noneChangedHelp : words.noneHelp}</p>
        </Empty>
      ) : (
        <ul className="things">
          {shown.map((setting) => (
            <SettingLine key={setting.Name} setting={setting} />
          ))}
        </ul>
      )}
      <p className="manage-foot" role="status">
        {words.shown(shown.length)}
      </p>
    </>
  );
}

function SettingLine({ setting: { Name, Value, About, IsDefault } }: { setting: Setting }) {
  const words = useManageWords().settings;
  return (
    <li className="thing">
      <div className="thing-text setting">
        <div>
          <code dir="ltr">{Name}</code> {!IsDefault && <Badge look="manila">{words.isChanged}</Badge>}
          <p className="thing-more" lang="en" dir="ltr">
            {About}
          </p>
        </div>
        <p className="setting-value">
          {Value === '' ? <span className="setting-unset">{words.empty}</span> : <code dir="ltr">{Value}</code>}
        </p>
      </div>
    </li>
  );
}
