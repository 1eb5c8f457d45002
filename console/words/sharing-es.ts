// Spanish words about sharing.

import { linksEs } from './links-es.ts';
import type { SharingWords } from './sharing-en.ts';

export const sharingEs: SharingWords = {
  links: linksEs,
  title: (name) => `Compartir «${name}»`,
  help: 'Quien tiene acceso a una carpeta tiene acceso a todo lo que contiene.',
  who: 'Quién tiene acceso',
  nobody: 'Nadie, salvo los gestores del espacio.',
  kind: 'Con',
  kinds: { user: 'Una persona', group: 'Un grupo' },
  name: { user: 'ID de usuario', group: 'Nombre del grupo' },
  role: 'Puede',
  roles: { viewer: 'Ver', editor: 'Editar', manager: 'Gestionar' },
  share: 'Compartir',
  shared: (name) => `Compartido con ${name}`,
  stop: (name) => `Dejar de compartir con ${name}`,
  stopped: (name) => `Ya no se comparte con ${name}`,
  onlyManagers: 'Solo los gestores del espacio comparten con personas y grupos.',
  bySpace: 'miembro del espacio',
  here: 'compartido aquí',
  above: (path) => `compartido con ${path}`,
  group: (name) => `Grupo ${name}`,
  page: 'Compartido conmigo',
  nothing: 'No hay nada compartido con usted',
  nothingHelp: 'Aquí aparece lo que otros comparten con usted o con uno de sus grupos.',
  in: (space) => `en ${space}`,
  by: (name, when) => `compartido por ${name}, ${when}`,
};
