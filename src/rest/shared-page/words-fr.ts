// French words of the pages of links. A narrow no-break space (U+202F) stands before a colon.

import type { PageWords } from './words.ts';

export const fr: PageWords = {
  language: 'fr',
  locale: 'fr-FR',
  unusable: {
    title: 'Lien introuvable',
    heading: 'Ce lien ne fonctionne pas',
    help: 'Il est inconnu ou n’est plus valable. Demandez-en un nouveau à la personne qui vous l’a envoyé.',
  },
  password: {
    title: 'Mot de passe',
    heading: 'Ce lien demande un mot de passe',
    label: 'Mot de passe',
    open: 'Ouvrir',
    wrong: 'Le mot de passe est incorrect.',
  },
  tooMany: {
    title: 'Trop de demandes',
    heading: 'Trop de tentatives',
    help: 'Patientez une minute, puis réessayez.',
    again: 'Réessayer',
  },
  until: (date) => `Ce lien est valable jusqu’au ${date}.`,
  upload: {
    choose: 'Fichiers à envoyer',
    send: 'Envoyer',
    needsScript: 'JavaScript est nécessaire pour envoyer des fichiers.',
  },
  folder: {
    all: 'Tout télécharger',
    empty: 'Ce dossier est vide.',
    more: 'Afficher plus',
    back: (name) => `Retour à ${name}`,
  },
  download: 'Télécharger',
  downloadOne: (name) => `Télécharger ${name}`,
  preview: {
    none: 'Aucun aperçu disponible. Téléchargez le fichier pour l’ouvrir.',
    empty: 'Ce fichier est vide.',
    large: 'Le fichier est trop volumineux pour un aperçu.',
    limited: 'Aucun aperçu, car ce lien limite le nombre de téléchargements.',
    needsScript: 'JavaScript est nécessaire pour l’aperçu.',
    cut: (size) => `Seul le début est affiché (${size}).`,
    pages: 'Seules les 30 premières pages sont affichées.',
  },
  sending: {
    waiting: 'En attente',
    running: 'Envoi en cours',
    runningOne: 'Envoi en cours : {name}',
    sent: 'Envoyé',
    offline: 'En attente de la connexion',
    lost: 'La connexion a été interrompue',
    failed: 'Non envoyé',
    again: 'Réessayer',
    againOne: 'Réessayer : {name}',
    refusals: {
      FileTooLarge: 'Le fichier est trop volumineux.',
      InvalidName: 'Le nom du fichier n’est pas autorisé.',
      Locked: 'Le dossier est verrouillé pour le moment.',
      QuotaExceeded: 'Il n’y a plus de place pour ce fichier.',
      ShareNotFound: 'Ce lien n’est plus valable.',
      SharePasswordMissing: 'Le mot de passe a expiré. Rechargez la page.',
      StorageFull: 'Il n’y a plus de place pour ce fichier.',
      TooManyRequests: 'Trop de demandes. Réessayez dans une minute.',
    },
  },
};
