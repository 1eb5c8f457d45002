// The account menu: the user, appearance, language, sign-out.

import { useState } from 'react';
import { Header } from 'react-aria-components/Header';
import { MenuSection } from 'react-aria-components/Menu';
import { IconButton } from '../parts/button.tsx';
import { Menu, MenuItem, MenuLine } from '../parts/menu.tsx';
import { basePath } from '../routing/base-path.ts';
import { go } from '../routing/router.ts';
import { useSession, useSpaceParams } from '../session/session-context.tsx';
import { languages, useWords } from '../words/words.tsx';
import { type Preferences, prefer } from './preferences.ts';
import { Shortcuts } from './shortcuts.tsx';
import { usePreferences } from './use-preferences.ts';

export function AccountMenu() {
  const words = useWords();
  const { session } = useSession();
  const params = useSpaceParams();
  const { theme, density, language } = usePreferences();
  const [isHelping, setHelping] = useState(false);
  const act = (key: string) => {
    const [what, value = ''] = key.split(':');
    if (what === 'theme') prefer({ theme: value as Preferences['theme'] });
    if (what === 'density') prefer({ density: value as Preferences['density'] });
    if (what === 'language') prefer({ language: value === '' ? null : value });
    if (what === 'account') go({ page: 'account', params });
    if (what === 'shortcuts') setHelping(true);
    if (what === 'docs') window.open(`${basePath}/docs`, '_blank', 'noopener');
    if (what === 'out') void session.signOut();
  };
  return (
    <>
      <Menu label={words.shell.account} trigger={<IconButton icon="user" label={words.shell.account} />} onAction={act}>
        <MenuSection>
          <Header className="menu-head">{words.shell.signedInAs(session.person.name)}</Header>
          <MenuItem id="account" icon="key">
            {words.shell.yourAccount}
          </MenuItem>
          <MenuItem id="shortcuts" icon="info" keys="?">
            {words.shell.shortcuts}
          </MenuItem>
          <MenuItem id="docs" icon="code">
            {words.shell.docs}
          </MenuItem>
          <MenuItem id="out" icon="next">
            {words.shell.signOut}
          </MenuItem>
        </MenuSection>
        <MenuLine />
        <MenuSection>
          <Header className="menu-head">{words.shell.theme}</Header>
          {Object.entries(words.shell.themes).map(([one, label]) => (
            <MenuItem key={one} id={`theme:${one}`} isChosen={one === theme}>
              {label}
            </MenuItem>
          ))}
        </MenuSection>
        <MenuSection>
          <Header className="menu-head">{words.shell.density}</Header>
          {Object.entries(words.shell.densities).map(([one, label]) => (
            <MenuItem key={one} id={`density:${one}`} isChosen={one === density}>
              {label}
            </MenuItem>
          ))}
        </MenuSection>
        <MenuSection>
          <Header className="menu-head">{words.shell.language}</Header>
          <MenuItem id="language:" isChosen={language === null}>
            {words.shell.asBrowser}
          </MenuItem>
          {Object.entries(languages).map(([code, { name }]) => (
            <MenuItem key={code} id={`language:${code}`} isChosen={code === language}>
              {name}
            </MenuItem>
          ))}
        </MenuSection>
      </Menu>
      <Shortcuts isOpen={isHelping} setOpen={setHelping} />
    </>
  );
}
