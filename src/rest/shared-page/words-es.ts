// Spanish words of the pages of links.

import type { PageWords } from './words.ts';

export const es: PageWords = {
  language: 'es',
  locale: 'es',
  unusable: {
    title: 'Este enlace no existe',
    heading: 'Este enlace no funciona',
    help: 'Es desconocido o ya no se puede usar. Pida uno nuevo a quien se lo envió.',
  },
  password: {
    title: 'Contraseña',
    heading: 'Este enlace necesita una contraseña',
    label: 'Contraseña',
    open: 'Abrir',
    wrong: 'La contraseña no es correcta.',
  },
  tooMany: {
    title: 'Demasiadas peticiones',
    heading: 'Demasiados intentos',
    help: 'Espere un minuto e inténtelo de nuevo.',
    again: 'Reintentar',
  },
  until: (date) => `Este enlace funciona hasta el ${date}.`,
  upload: {
    choose: 'Archivos para enviar',
    send: 'Enviar',
    needsScript: 'Para enviar archivos hace falta JavaScript.',
  },
  folder: {
    all: 'Descargar todo',
    empty: 'Esta carpeta está vacía.',
    more: 'Mostrar más',
    back: (name) => `Volver a ${name}`,
  },
  download: 'Descargar',
  downloadOne: (name) => `Descargar ${name}`,
  preview: {
    none: 'No hay vista previa disponible. Descargue el archivo para abrirlo.',
    empty: 'Este archivo está vacío.',
    large: 'El archivo es demasiado grande para una vista previa.',
    limited: 'No hay vista previa, porque este enlace limita el número de descargas.',
    needsScript: 'Para la vista previa hace falta JavaScript.',
    cut: (size) => `Solo se muestran los primeros ${size}.`,
    pages: 'Solo se muestran las primeras 30 páginas.',
  },
  sending: {
    waiting: 'En espera',
    running: 'Enviando',
    runningOne: 'Enviando {name}',
    sent: 'Enviado',
    offline: 'Esperando la conexión',
    lost: 'Se perdió la conexión',
    failed: 'No enviado',
    again: 'Reintentar',
    againOne: 'Reintentar: {name}',
    refusals: {
      FileTooLarge: 'El archivo es demasiado grande.',
      InvalidName: 'El nombre del archivo no está permitido.',
      Locked: 'La carpeta está bloqueada en este momento.',
      QuotaExceeded: 'Este archivo no cabe.',
      ShareNotFound: 'Este enlace ya no funciona.',
      SharePasswordMissing: 'La contraseña ha caducado. Cargue la página de nuevo.',
      StorageFull: 'Este archivo no cabe.',
      TooManyRequests: 'Demasiadas peticiones. Inténtelo de nuevo dentro de un minuto.',
    },
  },
};
