// Spanish words about files shown in full and their previews.

import { numbersIn } from './numbers.ts';
import type { ViewerWords } from './viewer-en.ts';

const { number } = numbersIn('es');

export const viewerEs: ViewerWords = {
  open: 'Pantalla completa',
  files: 'Archivos de la lista',
  previous: 'Archivo anterior',
  next: 'Archivo siguiente',
  position: (at, of, isMore) => `${number(at)} de ${number(of)}${isMore ? '+' : ''}`,
  close: 'Cerrar',
  details: 'Detalles',
  zoomIn: 'Ampliar',
  zoomOut: 'Reducir',
  fit: 'Ajustar a la ventana',
  rotate: 'Girar a la derecha',
  zoom: 'Zoom',
  tools: 'Vista',
  page: (at, of) => `Página ${number(at)} de ${number(of)}`,
  find: 'Buscar en el documento',
  found: (at, of, isMore) => `${number(at)} de ${number(of)}${isMore ? '+' : ''}`,
  notFound: 'No se encontró',
  searching: 'Buscando',
  previousMatch: 'Resultado anterior',
  nextMatch: 'Resultado siguiente',
  locked: 'El documento tiene una contraseña. Descárguelo para abrirlo.',
  lines: (n) => `Se muestran las primeras ${number(n)} líneas.`,
  table: (rows, columns) =>
    `${number(rows)} ${rows === 1 ? 'fila' : 'filas'}, ${number(columns)} ${columns === 1 ? 'columna' : 'columnas'}`,
  tablePart: (rows, columns) => `Se muestran las primeras ${number(rows)} filas y ${number(columns)} columnas.`,
  reading: (percent) => `Leyendo: ${percent}`,
  row: 'Fila',
  extracted: 'Solo se muestra el texto del documento, sin su formato ni sus imágenes.',
  converted: 'Este es un PDF que el servidor ha creado a partir del documento. El formato puede variar.',
};
