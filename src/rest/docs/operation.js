// One operation: its description, parameters, answers and refusals, and a form to try it. Rendered when it is opened.

import { make, renderLine, renderText, toReadable } from './dom.js';
import { renderLazily, renderSchema, resolve, toTypeName } from './schema.js';
import { renderTry } from './try.js';

export function renderOperation(root, listed) {
  const { method, path, operation } = listed;
  const details = make(
    'details',
    { class: 'operation', id: operation.operationId },
    make(
      'summary',
      {},
      make('span', { class: `method ${method.toLowerCase()}` }, method),
      make('span', { class: 'path' }, renderPath(path)),
      make('span', { class: 'summary-text' }, operation.summary),
    ),
  );
  details.addEventListener('toggle', () => details.append(renderInside(root, listed)), { once: true });
  return details;
}

/** Lines break before a slash; the common prefix of all paths is shown in grey. */
function renderPath(path) {
  const [, common = '', rest] = /^(\/v1\/contentmanagement)?(.*)$/.exec(path);
  const pieces = rest.split(/(?=\/)/).map((piece) => [make('wbr'), piece]);
  return [make('span', { class: 'quiet' }, common), pieces];
}

function renderInside(root, listed) {
  const { operation } = listed;
  const isForeign = operation.tags.includes('Signing in');
  return make(
    'div',
    { class: 'body' },
    renderText(operation.description),
    make('p', { class: 'quiet' }, renderLine(toNeeds(operation))),
    isForeign ? null : makeTryButton(operation),
    renderParameters(root, listParameters(root, operation)),
    renderRequestBody(root, operation.requestBody),
    make('h3', {}, 'Answers'),
    Object.entries(operation.responses).map(([status, response]) =>
      renderAnswer(root, status, resolve(root, response)),
    ),
    isForeign ? null : renderTry(root, listed),
  );
}

/** Parameters are references to components. */
function listParameters(root, { parameters = [] }) {
  return parameters.map((parameter) => resolve(root, parameter));
}

/** Scrolls to the form. */
function makeTryButton({ operationId }) {
  const button = make('button', { type: 'button', class: 'small' }, 'Try it');
  button.addEventListener('click', () => {
    const form = document.querySelector(`#${operationId} .try`);
    form.scrollIntoView();
    form.querySelector('input, select, textarea, button').focus({ preventScroll: true });
  });
  return button;
}

function toNeeds({ security }) {
  const scopes = security.find((way) => 'token' in way)?.token;
  if (scopes !== undefined) return `Needs a token with the scope \`${scopes.join(', ')}\`, and the AppKey.`;
  if (security.some((way) => 'secret' in way)) return 'Needs the AppKey and the secret, or the certificate; no token.';
  return 'Needs no credentials.';
}

function renderParameters(root, parameters) {
  if (parameters.length === 0) return null;
  const rows = parameters.map(({ name, in: place, required, description, schema, example }) =>
    make(
      'div',
      {},
      make(
        'dt',
        {},
        make('code', {}, name),
        make('span', { class: 'quiet' }, ` ${place}, ${toTypeName(root, schema)}${required ? ', required' : ''}`),
      ),
      make(
        'dd',
        {},
        renderLine(description),
        example === undefined ? null : [', such as ', make('code', {}, String(example))],
      ),
    ),
  );
  return [make('h3', {}, 'Parameters'), make('dl', { class: 'params' }, rows)];
}

function renderRequestBody(root, body) {
  if (body === undefined) return null;
  const ways = Object.entries(body.content).map(([type, media]) =>
    make('div', { class: 'answer way' }, make('code', {}, type), renderMedia(root, media)),
  );
  return [make('h3', {}, 'Body'), make('p', {}, renderLine(body.description)), ways];
}

function renderMedia(root, media) {
  const hasFields = Object.keys(media.schema).length > 0 && resolve(root, media.schema).type !== 'string';
  const examples =
    media.examples === undefined ? [media.example] : Object.values(media.examples).map(({ value }) => value);
  return [
    hasFields ? renderLazily('Fields', () => renderSchema(root, media.schema)) : null,
    ...examples.map((example) => (example === undefined ? null : makeExample(example))),
  ];
}

function makeExample(value) {
  return renderLazily('Example', () => make('pre', { tabindex: 0, 'aria-label': 'Example' }, toReadable(value)));
}

function renderAnswer(root, status, { description, content = {} }) {
  const isGood = Number(status) < 400;
  const medias = Object.entries(content);
  const [, refused] = medias.find(([, media]) => media.examples !== undefined) ?? [];
  const others = medias.filter(([, media]) => media !== refused);
  return make(
    'div',
    { class: 'answer' },
    make('span', { class: `status ${isGood ? 'good' : 'bad'}` }, status),
    make(
      'div',
      {},
      refused === undefined || others.length > 0 ? renderLine(description) : null,
      others.map(([type, media]) => [' ', make('code', {}, type), renderMedia(root, media)]),
      refused === undefined ? null : renderCodes(root, refused.examples),
    ),
  );
}

function renderCodes(root, examples) {
  const lines = Object.entries(examples).map(([code, example]) => {
    const { value } = resolve(root, example);
    return make(
      'li',
      {},
      make('code', {}, code),
      ' ',
      make('span', { class: 'quiet' }, value.Error?.Message ?? value.error),
    );
  });
  const codes = Object.keys(examples);
  const label = codes.length > 3 ? `${codes.slice(0, 3).join(', ')} and ${codes.length - 3} more` : codes.join(', ');
  return make('details', {}, make('summary', {}, label), make('ul', {}, lines));
}
