// The page: loads the OpenAPI document of the service that serves it, and shows it.

import { make, renderText } from './dom.js';
import { renderOperation } from './operation.js';
import { base, fetchToken, identity } from './request.js';

const methods = ['get', 'post', 'put', 'patch', 'delete', 'options'];
const find = (id) => document.getElementById(id);

function listOperations({ paths }) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    methods
      .filter((method) => operations[method] !== undefined)
      .map((method) => ({ method: method.toUpperCase(), path, operation: operations[method] })),
  );
}

function show(root) {
  const listed = listOperations(root);
  const groups = root.tags.map((tag) => ({
    ...tag,
    items: listed.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  const filled = groups.filter(({ items }) => items.length > 0);
  find('about').textContent = `The interface at ${base.replace(/\/$/, '')}`;
  find('intro').replaceChildren(...renderText(root.info.description));
  find('operations').replaceChildren(
    ...filled.map(({ name, description, items }) =>
      make(
        'section',
        { 'aria-label': name },
        make('h2', {}, name),
        make('p', { class: 'quiet' }, description),
        items.map((item) => renderOperation(root, item)),
      ),
    ),
  );
  find('index').replaceChildren(...filled.map(renderGroup));
  find('filter').addEventListener('input', () => filter(listed));
  addEventListener('hashchange', openNamed);
  openNamed();
}

function renderGroup({ name, items }) {
  const lines = items.map(({ method, operation }) =>
    make(
      'li',
      {},
      make(
        'a',
        { href: `#${operation.operationId}` },
        make('span', { class: `method ${method.toLowerCase()}` }, method),
        make('span', {}, operation.summary),
      ),
    ),
  );
  return make('div', {}, make('h2', {}, name), make('ul', {}, lines));
}

function filter(listed) {
  const words = find('filter').value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { method, path, operation } of listed) {
    const text = `${method} ${path} ${operation.summary} ${operation.tags}`.toLowerCase();
    const isHidden = !words.every((word) => text.includes(word));
    find(operation.operationId).hidden = isHidden;
    document.querySelector(`nav a[href="#${operation.operationId}"]`).parentElement.hidden = isHidden;
  }
  for (const group of document.querySelectorAll('#index > div, #operations > section')) {
    group.hidden = group.querySelector('li:not([hidden]), .operation:not([hidden])') === null;
  }
}

/** Opens the operation that the fragment of the URL names. */
function openNamed() {
  const named = find(decodeURIComponent(location.hash.slice(1)));
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === location.hash) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
  if (named === null || !named.classList.contains('operation')) return;
  named.open = true;
  named.querySelector('summary').focus({ preventScroll: true });
  named.scrollIntoView();
}

function tellIdentity(text, look = '') {
  const state = find('identity-state');
  state.textContent = text;
  state.className = look;
}

function listenToIdentity() {
  find('appkey').addEventListener('input', ({ target }) => {
    identity.appKey = target.value.trim();
  });
  find('token').addEventListener('input', ({ target }) => {
    identity.token = target.value.trim();
    tellIdentity(identity.token === '' ? 'No token yet.' : 'The token that you pasted is used.');
  });
  find('identity').addEventListener('submit', async (event) => {
    event.preventDefault();
    const [appKey, secret] = [find('appkey').value.trim(), find('secret').value];
    try {
      const seconds = await fetchToken(appKey, secret);
      find('secret').value = '';
      find('token').value = identity.token;
      const until = new Date(Date.now() + seconds * 1000).toLocaleTimeString([], {
        hour: '2-digit',
        minute: '2-digit',
      });
      tellIdentity(`There is a token, until ${until}.`, 'good');
    } catch (error) {
      tellIdentity(`No token: ${error.message}`, 'bad');
    }
  });
}

/** On a narrow screen the list of operations is closed at first. */
function foldContents() {
  const narrow = matchMedia('(max-width: 59.99rem)');
  const fold = () => {
    find('contents').open = !narrow.matches;
  };
  narrow.addEventListener('change', fold);
  fold();
}

listenToIdentity();
foldContents();
try {
  const answer = await fetch(`${base}openapi.json`);
  if (!answer.ok) throw new Error(`the answer was ${answer.status}`);
  show(await answer.json());
} catch (error) {
  find('operations').replaceChildren(
    make('p', { class: 'bad' }, `The description could not be read: ${error.message}`),
  );
}
