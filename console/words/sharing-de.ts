// German words about sharing.

import { linksDe } from './links-de.ts';
import type { SharingWords } from './sharing-en.ts';

export const sharingDe: SharingWords = {
  links: linksDe,
  title: (name) => `„${name}“ teilen`,
  help: 'Wer Zugriff auf einen Ordner hat, hat Zugriff auf alles darin.',
  who: 'Wer Zugriff hat',
  nobody: 'Niemand außer den Managern des Bereichs.',
  kind: 'Mit',
  kinds: { user: 'einer Person', group: 'einer Gruppe' },
  name: { user: 'Benutzerkennung', group: 'Name der Gruppe' },
  role: 'Darf',
  roles: { viewer: 'Ansehen', editor: 'Bearbeiten', manager: 'Verwalten' },
  share: 'Teilen',
  shared: (name) => `Mit ${name} geteilt`,
  stop: (name) => `Nicht mehr mit ${name} teilen`,
  stopped: (name) => `Nicht mehr mit ${name} geteilt`,
  onlyManagers: 'Nur Manager des Bereichs teilen mit Personen und Gruppen.',
  bySpace: 'Mitglied des Bereichs',
  here: 'hier geteilt',
  above: (path) => `geteilt mit ${path}`,
  group: (name) => `Gruppe ${name}`,
  page: 'Für mich freigegeben',
  nothing: 'Für Sie ist nichts freigegeben',
  nothingHelp: 'Hier steht, was mit Ihnen oder einer Ihrer Gruppen geteilt wird.',
  in: (space) => `in ${space}`,
  by: (name, when) => `geteilt von ${name}, ${when}`,
};
