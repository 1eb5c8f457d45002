// German words about files shown in full and their previews.

import { numbersIn } from './numbers.ts';
import type { ViewerWords } from './viewer-en.ts';

const { number } = numbersIn('de');

export const viewerDe: ViewerWords = {
  open: 'Vollbild',
  files: 'Dateien der Liste',
  previous: 'Vorherige Datei',
  next: 'Nächste Datei',
  position: (at, of, isMore) => `${number(at)} von ${number(of)}${isMore ? '+' : ''}`,
  close: 'Schließen',
  details: 'Einzelheiten',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  fit: 'An das Fenster anpassen',
  rotate: 'Nach rechts drehen',
  zoom: 'Größe',
  tools: 'Ansicht',
  page: (at, of) => `Seite ${number(at)} von ${number(of)}`,
  find: 'Im Dokument suchen',
  found: (at, of, isMore) => `${number(at)} von ${number(of)}${isMore ? '+' : ''}`,
  notFound: 'Nicht gefunden',
  searching: 'Wird gesucht',
  previousMatch: 'Vorheriger Treffer',
  nextMatch: 'Nächster Treffer',
  locked: 'Das Dokument hat ein Passwort. Laden Sie es herunter, um es zu öffnen.',
  lines: (n) => `Die ersten ${number(n)} Zeilen werden gezeigt.`,
  table: (rows, columns) =>
    `${number(rows)} ${rows === 1 ? 'Zeile' : 'Zeilen'}, ${number(columns)} ${columns === 1 ? 'Spalte' : 'Spalten'}`,
  tablePart: (rows, columns) => `Die ersten ${number(rows)} Zeilen und ${number(columns)} Spalten werden gezeigt.`,
  reading: (percent) => `Wird gelesen: ${percent}`,
  row: 'Zeile',
  extracted: 'Nur der Text des Dokuments wird gezeigt, ohne Gestaltung und Bilder.',
  converted: 'Das ist ein PDF, das der Server aus dem Dokument erzeugt hat. Die Gestaltung kann abweichen.',
};
