// French words about sharing.

import { linksFr } from './links-fr.ts';
import type { SharingWords } from './sharing-en.ts';

export const sharingFr: SharingWords = {
  links: linksFr,
  title: (name) => `Partager « ${name} »`,
  help: 'L’accès à un dossier donne accès à tout ce qu’il contient.',
  who: 'Qui a accès',
  nobody: 'Personne, hormis les gestionnaires de l’espace.',
  kind: 'Avec',
  kinds: { user: 'Une personne', group: 'Un groupe' },
  name: { user: 'Nom d’utilisateur', group: 'Nom du groupe' },
  role: 'Rôle',
  roles: { viewer: 'Lecteur', editor: 'Éditeur', manager: 'Gestionnaire' },
  share: 'Partager',
  shared: (name) => `Partagé avec ${name}`,
  stop: (name) => `Ne plus partager avec ${name}`,
  stopped: (name) => `N’est plus partagé avec ${name}`,
  onlyManagers: 'Seuls les gestionnaires de l’espace partagent avec des personnes et des groupes.',
  bySpace: 'membre de l’espace',
  here: 'partagé ici',
  above: (path) => `hérité de ${path}`,
  group: (name) => `Groupe ${name}`,
  page: 'Partagés avec moi',
  nothing: 'Rien n’est partagé avec vous',
  nothingHelp: 'Ce qui est partagé avec vous, ou avec un groupe dont vous faites partie, apparaît ici.',
  in: (space) => `dans ${space}`,
  by: (name, when) => `partagé par ${name}, ${when}`,
};
