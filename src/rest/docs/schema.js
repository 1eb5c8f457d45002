// Shows a JSON Schema as a list of fields. Components open on demand, because schemas can be nested deeply.

import { make, renderLine } from './dom.js';

export function resolve(root, value) {
  if (typeof value?.$ref !== 'string') return value;
  const path = value.$ref.slice(2).split('/');
  return resolve(
    root,
    path.reduce((found, key) => found?.[key], root),
  );
}

export function renderSchema(root, schema) {
  const whole = resolve(root, schema);
  const choices = whole.anyOf ?? whole.oneOf;
  if (choices !== undefined) {
    return make(
      'div',
      {},
      choices.flatMap((choice, index) => [
        index > 0 && make('p', { class: 'quiet' }, 'or'),
        renderSchema(root, choice),
      ]),
    );
  }
  if (whole.type === 'array')
    return make('div', {}, make('p', { class: 'quiet' }, 'A list of'), renderSchema(root, whole.items));
  if (whole.properties === undefined) return make('p', { class: 'quiet' }, toTypeName(root, schema));
  const required = new Set(whole.required ?? []);
  const fields = Object.entries(whole.properties).map(([name, field]) =>
    renderField(root, name, field, required.has(name)),
  );
  return make('ul', { class: 'schema' }, fields);
}

function renderField(root, name, field, isRequired) {
  const whole = resolve(root, field);
  const description = field.description ?? whole.description;
  const inner = findFields(root, field);
  return make(
    'li',
    {},
    make('code', {}, name),
    ' ',
    make('span', { class: 'quiet' }, `${toTypeName(root, field)}${isRequired ? '' : ', optional'}`),
    description === undefined ? null : make('div', {}, renderLine(description)),
    inner === null ? null : renderLazily('Its fields', () => renderSchema(root, inner)),
  );
}

/** The schema whose fields are worth showing beneath a field, or null. */
function findFields(root, field) {
  const whole = resolve(root, field);
  if (whole.type === 'array') return findFields(root, whole.items);
  return whole.properties === undefined && whole.anyOf === undefined ? null : whole;
}

export function renderLazily(label, render) {
  const details = make('details', {}, make('summary', {}, label));
  details.addEventListener('toggle', () => details.append(render()), { once: true });
  return details;
}

export function toTypeName(root, schema) {
  const whole = resolve(root, schema);
  if (whole.enum !== undefined) return toChoices(whole);
  if (whole.const !== undefined) return JSON.stringify(whole.const);
  if (whole.anyOf !== undefined) return whole.anyOf.map((choice) => toTypeName(root, choice)).join(' or ');
  if (whole.type === 'array') return `list of ${toTypeName(root, whole.items)}`;
  if (whole.title !== undefined) return whole.title;
  if (Array.isArray(whole.type)) return whole.type.join(' or ');
  return [whole.type ?? 'anything', toRange(whole), whole.format].filter(Boolean).join(', ');
}

function toChoices({ enum: choices, default: usual }) {
  const listed = choices.length > 12 ? 'one of a list' : choices.join(' | ');
  return usual === undefined ? listed : `${listed}, ${usual} by default`;
}

function toRange({ minimum, maximum, default: usual }) {
  const range = minimum === undefined && maximum === undefined ? '' : `${minimum ?? ''}–${maximum ?? ''}`;
  return [range, usual === undefined ? '' : `${usual} by default`].filter(Boolean).join(', ');
}
