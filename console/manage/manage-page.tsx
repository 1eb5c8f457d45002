// The admin pages of a space, under /manage/{page}. For managers only.

import { type ComponentType, useEffect, useRef } from 'react';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Empty } from '../parts/states.tsx';
import { Link } from '../routing/link.tsx';
import { useRoute } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { useWords } from '../words/words.tsx';
import { ApplicationPage } from './application-page.tsx';
import { ApplicationsPage } from './applications-page.tsx';
import { AuditPage } from './audit-page.tsx';
import { HealthPage } from './health-page.tsx';
import { LinksPage } from './links-page.tsx';
import { PeoplePage } from './people-page.tsx';
import { SettingsPage } from './settings-page.tsx';
import { SpacesPage } from './spaces-page.tsx';
import { UsagePage } from './usage-page.tsx';
import { useManageWords } from './use-manage-words.ts';
import { WebhookPage } from './webhook-page.tsx';
import { WebhooksPage } from './webhooks-page.tsx';
import './manage-page.css';

const pages = {
  applications: { icon: 'key', Page: ApplicationsPage },
  people: { icon: 'user', Page: PeoplePage },
  links: { icon: 'link', Page: LinksPage },
  webhooks: { icon: 'hook', Page: WebhooksPage },
  spaces: { icon: 'folder', Page: SpacesPage },
  usage: { icon: 'chart', Page: UsagePage },
  audit: { icon: 'scroll', Page: AuditPage },
  health: { icon: 'pulse', Page: HealthPage },
  settings: { icon: 'gear', Page: SettingsPage },
} as const satisfies Record<string, { icon: IconName; Page: ComponentType }>;

type ManagePageName = keyof typeof pages;

export function ManagePage() {
  const words = useManageWords();
  const { manage } = useWords().shell;
  const { space, canManage } = useSession();
  const { id, more } = useRoute();
  const name = id !== null && id in pages ? (id as ManagePageName) : 'applications';
  useEffect(() => {
    document.title = `${canManage ? words.pages[name] : manage} – Cabinet`;
    return () => {
      document.title = 'Cabinet';
    };
  }, [words, name, canManage, manage]);
  if (!canManage) return <NoAccess />;
  const { Page } = pages[name];
  return (
    <section className="paper manage" aria-labelledby="page-title">
      <ManageWays current={name} />
      <div className="paper-body manage-body">
        {/* The key resets the state of the page when the space or the page changes. */}
        {name === 'applications' && more !== null && <ApplicationPage key={`${space.Id} ${more}`} appKey={more} />}
        {name === 'webhooks' && more !== null && <WebhookPage key={`${space.Id} ${more}`} id={more} />}
        {(more === null || !(name === 'applications' || name === 'webhooks')) && <Page key={space.Id} />}
      </div>
    </section>
  );
}

function ManageWays({ current }: { current: ManagePageName }) {
  const words = useManageWords();
  const { manage } = useWords().shell;
  const params = useSpaceParams();
  const list = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a phone the list is wider than the page; where one is must be seen
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [current]);
  return (
    <nav className="manage-ways" aria-label={manage} ref={list}>
      <ul>
        {Object.entries(pages).map(([name, { icon }]) => (
          <li key={name}>
            <Link
              to={{ page: 'manage', id: name, params }}
              className="manage-way"
              aria-current={name === current ? 'page' : undefined}
            >
              <Icon name={icon} size={18} />
              {words.pages[name as ManagePageName]}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function NoAccess() {
  const words = useManageWords();
  const { space } = useSession();
  const role = words.roles[space.Role ?? 'viewer'];
  return (
    <section className="paper" aria-labelledby="page-title">
      <h1 id="page-title" className="unseen">
        {useWords().shell.manage}
      </h1>
      <Empty icon="gear" title={words.noAccess}>
        <p>{words.noAccessHelp(space.Name, role)}</p>
      </Empty>
    </section>
  );
}
