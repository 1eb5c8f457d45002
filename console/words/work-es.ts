// Spanish: editing texts, comments on versions, several entries of the trash, the list of changes.

import { numbersIn } from './numbers.ts';
import type { WorkWords } from './work-en.ts';

const { count, number } = numbersIn('es');
const items = (n: number) => count(n, 'elemento', 'elementos');

export const es: WorkWords = {
  edit: {
    title: (name) => `Editar ${name}`,
    text: 'Texto',
    save: 'Guardar',
    saved: (name) => `«${name}» guardado como nueva versión`,
    foreign: 'Este archivo no está en UTF-8. Descárguelo para editarlo.',
    conflict:
      'Alguien guardó este archivo mientras usted lo editaba. Si guarda su texto, el otro se conserva entre las versiones.',
    saveAnyway: 'Guardar el mío como versión más reciente',
    takeTheirs: 'Descartar el mío y cargar el otro',
    unsaved: 'Los cambios no están guardados.',
    discard: 'Descartar los cambios',
    goOn: 'Seguir editando',
  },
  comment: {
    add: 'Comentar',
    change: 'Cambiar el comentario',
    label: (version) => `Comentario de la versión ${version}`,
    hint: 'Novedades de esta versión',
    save: 'Guardar el comentario',
    saved: 'Comentario guardado',
  },
  trash: {
    filter: 'Buscar en la papelera',
    select: (name) => `Seleccionar ${name}`,
    selectAll: 'Seleccionar todo lo que se muestra',
    restore: (n) => `Restaurar ${items(n)}`,
    restored: (n) => count(n, 'elemento restaurado', 'elementos restaurados'),
    remove: (n) => `Eliminar definitivamente ${items(n)}`,
    sure: (n) => `¿Eliminar definitivamente ${items(n)}?`,
    none: 'Nada en la papelera tiene este nombre',
  },
  changes: {
    today: 'Hoy',
    yesterday: 'Ayer',
    several: (n) => `${items(n)}: `,
    more: (n) => `y ${number(n)} más`,
    in: 'en',
  },
  search: {
    chips: 'Filtros en uso',
    remove: (filter) => `Quitar el filtro ${filter}`,
  },
};
