// French words about files shown in full and their previews.

import { numbersIn } from './numbers.ts';
import type { ViewerWords } from './viewer-en.ts';

const { count, number } = numbersIn('fr');

export const viewerFr: ViewerWords = {
  open: 'Plein écran',
  files: 'Fichiers de la liste',
  previous: 'Fichier précédent',
  next: 'Fichier suivant',
  position: (at, of, isMore) => `${number(at)} sur ${number(of)}${isMore ? '+' : ''}`,
  close: 'Fermer',
  details: 'Détails',
  zoomIn: 'Agrandir',
  zoomOut: 'Réduire',
  fit: 'Ajuster à la fenêtre',
  rotate: 'Faire pivoter à droite',
  zoom: 'Zoom',
  tools: 'Affichage',
  page: (at, of) => `Page ${number(at)} sur ${number(of)}`,
  find: 'Rechercher dans le document',
  found: (at, of, isMore) => `${number(at)} sur ${number(of)}${isMore ? '+' : ''}`,
  notFound: 'Aucun résultat',
  searching: 'Recherche en cours',
  previousMatch: 'Résultat précédent',
  nextMatch: 'Résultat suivant',
  locked: 'Le document est protégé par un mot de passe. Téléchargez-le pour l’ouvrir.',
  lines: (n) => `Seules les ${number(n)} premières lignes sont affichées.`,
  table: (rows, columns) => `${count(rows, 'ligne', 'lignes')}, ${count(columns, 'colonne', 'colonnes')}`,
  tablePart: (rows, columns) =>
    `Seules les ${number(rows)} premières lignes et les ${number(columns)} premières colonnes sont affichées.`,
  reading: (percent) => `Lecture : ${percent}`,
  row: 'Ligne',
  extracted: 'Seul le texte du document est affiché, sans sa mise en page ni ses images.',
  converted: 'Ceci est un PDF que le serveur a créé à partir du document. La mise en page peut différer.',
};
