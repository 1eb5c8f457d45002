// German words of the pages of links.

import type { PageWords } from './words.ts';

export const de: PageWords = {
  language: 'de',
  locale: 'de-DE',
  unusable: {
    title: 'Kein solcher Link',
    heading: 'Dieser Link funktioniert nicht',
    help: 'Er ist unbekannt oder nicht mehr gültig. Bitten Sie um einen neuen, wo Sie ihn herhaben.',
  },
  password: {
    title: 'Passwort',
    heading: 'Dieser Link braucht ein Passwort',
    label: 'Passwort',
    open: 'Öffnen',
    wrong: 'Das Passwort ist falsch.',
  },
  tooMany: {
    title: 'Zu viele Anfragen',
    heading: 'Zu viele Versuche',
    help: 'Warten Sie eine Minute und versuchen Sie es noch einmal.',
    again: 'Noch einmal versuchen',
  },
  until: (date) => `Dieser Link gilt bis zum ${date}.`,
  upload: { choose: 'Dateien zum Senden', send: 'Senden', needsScript: 'Zum Senden ist JavaScript nötig.' },
  folder: {
    all: 'Alles herunterladen',
    empty: 'Dieser Ordner ist leer.',
    more: 'Mehr anzeigen',
    back: (name) => `Zurück zu ${name}`,
  },
  download: 'Herunterladen',
  downloadOne: (name) => `${name} herunterladen`,
  preview: {
    none: 'Keine Vorschau verfügbar. Laden Sie die Datei herunter, um sie zu öffnen.',
    empty: 'Diese Datei ist leer.',
    large: 'Die Datei ist zu groß für eine Vorschau.',
    limited: 'Es gibt keine Vorschau, weil dieser Link die Zahl der Downloads begrenzt.',
    needsScript: 'Für die Vorschau ist JavaScript nötig.',
    cut: (size) => `Nur die ersten ${size} werden gezeigt.`,
    pages: 'Nur die ersten 30 Seiten werden gezeigt.',
  },
  sending: {
    waiting: 'Wartet',
    running: 'Wird gesendet',
    runningOne: '{name} wird gesendet',
    sent: 'Gesendet',
    offline: 'Wartet auf die Verbindung',
    lost: 'Die Verbindung wurde unterbrochen',
    failed: 'Nicht gesendet',
    again: 'Noch einmal versuchen',
    againOne: '{name} noch einmal versuchen',
    refusals: {
      FileTooLarge: 'Die Datei ist zu groß.',
      InvalidName: 'Der Name der Datei ist nicht erlaubt.',
      Locked: 'Der Ordner ist gerade gesperrt.',
      QuotaExceeded: 'Für diese Datei ist kein Platz.',
      ShareNotFound: 'Dieser Link gilt nicht mehr.',
      SharePasswordMissing: 'Das Passwort ist abgelaufen. Laden Sie die Seite neu.',
      StorageFull: 'Für diese Datei ist kein Platz.',
      TooManyRequests: 'Zu viele Anfragen. Versuchen Sie es in einer Minute noch einmal.',
    },
  },
};
