// French: editing texts, comments on versions, several entries of the trash, the list of changes.

import { numbersIn } from './numbers.ts';
import type { WorkWords } from './work-en.ts';

const { count } = numbersIn('fr');

export const fr: WorkWords = {
  edit: {
    title: (name) => `Modifier ${name}`,
    text: 'Texte',
    save: 'Enregistrer',
    saved: (name) => `« ${name} » enregistré comme nouvelle version`,
    foreign: 'Ce fichier n’est pas en UTF-8. Téléchargez-le pour le modifier.',
    conflict:
      'Quelqu’un a enregistré ce fichier pendant que vous le modifiiez. Si vous enregistrez votre texte, le sien reste parmi les versions.',
    saveAnyway: 'Enregistrer le mien comme dernière version',
    takeTheirs: 'Abandonner le mien et charger le sien',
    unsaved: 'Vos modifications ne sont pas enregistrées.',
    discard: 'Abandonner les modifications',
    goOn: 'Continuer la modification',
  },
  comment: {
    add: 'Commenter',
    change: 'Modifier le commentaire',
    label: (version) => `Commentaire sur la version ${version}`,
    hint: 'Ce que cette version apporte',
    save: 'Enregistrer le commentaire',
    saved: 'Commentaire enregistré',
  },
  trash: {
    filter: 'Rechercher dans la corbeille',
    select: (name) => `Sélectionner ${name}`,
    selectAll: 'Sélectionner tous les éléments affichés',
    restore: (n) => `Restaurer ${count(n, 'élément', 'éléments')}`,
    restored: (n) => count(n, 'élément restauré', 'éléments restaurés'),
    remove: (n) => `Supprimer définitivement ${count(n, 'élément', 'éléments')}`,
    sure: (n) => `Supprimer définitivement ${count(n, 'élément', 'éléments')} ?`,
    none: 'Aucun élément de la corbeille ne porte ce nom',
  },
  changes: {
    today: 'Aujourd’hui',
    yesterday: 'Hier',
    several: (n) => `${count(n, 'élément', 'éléments')} : `,
    more: (n) => `et ${count(n, 'autre', 'autres')}`,
    in: 'dans',
  },
  search: {
    chips: 'Filtres actifs',
    remove: (filter) => `Retirer le filtre ${filter}`,
  },
};
