// How to open the current space as a drive: the address and the lines for each system.

import type { Account } from '@cabinet/client';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { CopiedText } from '../manage/copied-text.tsx';
import { serviceUrl } from '../routing/base-path.ts';
import { useSession } from '../session/session-context.tsx';
import { type System, systems, toDavUrl, toDavUser, toDriveLines } from './drive-lines.ts';
import { Section } from './section.tsx';
import { useAccountWords } from './use-account-words.ts';

export function DriveSection({ account }: { account: Account }) {
  const { drive: words } = useAccountWords();
  const { space } = useSession();
  const url = toDavUrl(serviceUrl, space.Name);
  return (
    <Section title={words.title} lead={words.lead}>
      {!url.startsWith('https:') && <p className="shown-once">{words.insecure}</p>}
      <Tabs defaultSelectedKey={guessSystem()}>
        <TabList className="tabs-list" aria-label={words.title}>
          {systems.map((system) => (
            <Tab key={system} id={system}>
              {words.systems[system]}
            </Tab>
          ))}
        </TabList>
        {systems.map((system) => (
          <TabPanel key={system} id={system} className="tabs-panel drive-panel">
            <p>{words.help[system]}</p>
            <Lines system={system} url={url} user={toDavUser(account.Id)} />
          </TabPanel>
        ))}
      </Tabs>
    </Section>
  );
}

function Lines({ system, url, user }: { system: System; url: string; user: string }) {
  const { drive: words } = useAccountWords();
  return toDriveLines(system, url, user).map(({ text, isAddress }) => (
    <div key={text}>
      {system === 'linux' && !isAddress && <p>{words.mount}</p>}
      <CopiedText
        what={`${words.systems[system]}: ${isAddress ? words.address : words.lines}`}
        text={text}
        isBlock={!isAddress}
      />
    </div>
  ));
}

function guessSystem(): System {
  const { userAgent } = navigator;
  if (/Windows/.test(userAgent)) return 'windows';
  return /Mac OS X/.test(userAgent) ? 'mac' : 'linux';
}
