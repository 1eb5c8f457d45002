// German: editing texts, comments on versions, several entries of the trash, the list of changes.

import { numbersIn } from './numbers.ts';
import type { WorkWords } from './work-en.ts';

const { count, number } = numbersIn('de');

export const de: WorkWords = {
  edit: {
    title: (name) => `${name} bearbeiten`,
    text: 'Text',
    save: 'Sichern',
    saved: (name) => `„${name}“ ist als neue Version gesichert`,
    foreign: 'Diese Datei ist nicht in UTF-8. Laden Sie sie herunter, um sie zu bearbeiten.',
    conflict:
      'Jemand hat diese Datei gesichert, während Sie sie bearbeitet haben. Sichern Sie Ihren Text, bleibt der andere unter den Versionen.',
    saveAnyway: 'Meinen als neueste Version sichern',
    takeTheirs: 'Meinen verwerfen und den anderen laden',
    unsaved: 'Ihre Änderungen sind nicht gesichert.',
    discard: 'Änderungen verwerfen',
    goOn: 'Weiter bearbeiten',
  },
  comment: {
    add: 'Kommentieren',
    change: 'Kommentar ändern',
    label: (version) => `Kommentar zu Version ${version}`,
    hint: 'Was in dieser Version neu ist',
    save: 'Kommentar sichern',
    saved: 'Kommentar gesichert',
  },
  trash: {
    filter: 'Im Papierkorb suchen',
    select: (name) => `${name} auswählen`,
    selectAll: 'Alle gezeigten auswählen',
    restore: (n) => `${count(n, 'Eintrag', 'Einträge')} zurückholen`,
    restored: (n) => `${count(n, 'Eintrag ist', 'Einträge sind')} wieder da`,
    remove: (n) => `${count(n, 'Eintrag', 'Einträge')} endgültig entfernen`,
    sure: (n) => `${count(n, 'Eintrag', 'Einträge')} endgültig entfernen?`,
    none: 'Nichts im Papierkorb heißt so',
  },
  changes: {
    today: 'Heute',
    yesterday: 'Gestern',
    several: (n) => `${count(n, 'Eintrag', 'Einträge')} – `,
    more: (n) => `und ${number(n)} weitere`,
    in: 'in',
  },
  search: {
    chips: 'Benutzte Filter',
    remove: (filter) => `Filter ${filter} entfernen`,
  },
};
