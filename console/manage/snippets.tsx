// Code samples for one application, in three languages.

import { type Application, type Cabinet, showIssuer } from '@cabinet/client';
import { useQuery } from '@tanstack/react-query';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { serviceUrl } from '../routing/base-path.ts';
import { useSession } from '../session/session-context.tsx';
import { CopiedText } from './copied-text.tsx';
import { snippetLanguages, toSnippet } from './snippet-lines.ts';
import { useManageWords } from './use-manage-words.ts';

/** The mutual-TLS address, as the issuer's metadata names it (RFC 8705); null: there is none. */
async function findMutualTls(cabinet: Cabinet, signal: AbortSignal): Promise<string | null> {
  const metadata: object = await showIssuer(cabinet, { signal });
  const { mtls_endpoint_aliases: aliases } = metadata as { mtls_endpoint_aliases?: { token_endpoint?: string } };
  return aliases?.token_endpoint === undefined ? null : aliases.token_endpoint.replace(/\/oauth2\/token$/, '');
}

export function useMutualTls(): string | null | undefined {
  const { cabinet } = useSession();
  const queryFn = ({ signal }: { signal: AbortSignal }) => findMutualTls(cabinet, signal);
  return useQuery({ queryKey: ['manage', 'mutual-tls'], queryFn }).data;
}

export function Snippets({ application }: { application: Application }) {
  const words = useManageWords().applications;
  const mutualTls = useMutualTls();
  const { AppKey: appKey, Kind: kind, Scopes: scopes } = application;
  const isServer = kind === 'server';
  const url = isServer ? (mutualTls ?? 'https://127.0.0.1:8443') : serviceUrl;
  const facts = { url, appKey, kind, canWrite: scopes.includes('content.write') };
  return (
    <section className="manage-section" aria-labelledby="use">
      <h2 id="use">{words.use}</h2>
      <p>{isServer ? words.useServerHelp : words.useHelp}</p>
      {isServer && mutualTls === null && <p className="shown-once">{words.noMutualTls}</p>}
      <Tabs>
        <TabList className="tabs-list" aria-labelledby="use">
          {snippetLanguages.map((language) => (
            <Tab key={language} id={language}>
              {words.languages[language]}
            </Tab>
          ))}
        </TabList>
        {snippetLanguages.map((language) => (
          <TabPanel key={language} id={language} className="tabs-panel">
            <CopiedText
              isBlock
              what={`${words.languages[language]}: ${words.lines}`}
              text={toSnippet(language, facts)}
            />
          </TabPanel>
        ))}
      </Tabs>
    </section>
  );
}
