// The form to try an operation, the curl command that it amounts to, and the answer.

import { make, makeCopyButton, makeId, toReadable } from './dom.js';
import { send, toCurl } from './request.js';
import { resolve, toTypeName } from './schema.js';

/** Larger answers are offered as a download. */
const maxShownBytes = 200_000;

export function renderTry(root, { method, path, operation }) {
  const fields = (operation.parameters ?? []).map((parameter) => makeField(root, resolve(root, parameter)));
  const body = operation.requestBody === undefined ? null : makeBody(root, operation.requestBody, fields);
  const read = () => ({
    method,
    path,
    isOpen: !operation.security.some((way) => 'token' in way),
    values: fields.map(({ parameter, input }) => ({ in: parameter.in, name: parameter.name, value: input.value })),
    body: body?.read() ?? null,
  });
  const curl = make('pre', { class: 'wrapped', tabindex: 0, 'aria-label': 'curl' });
  const showCurl = () => {
    curl.textContent = toCurl(read());
  };
  const shown = make('div', { role: 'status' });
  const form = make(
    'form',
    { autocomplete: 'off' },
    make(
      'div',
      { class: 'fields' },
      fields.map(({ element }) => element),
    ),
    body?.element,
    make('p', { class: 'actions' }, make('button', { type: 'submit' }, 'Send it')),
  );
  form.addEventListener('input', showCurl);
  form.addEventListener('change', showCurl);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button[type=submit]');
    button.disabled = true;
    shown.replaceChildren(await showAnswer(read));
    button.disabled = false;
  });
  showCurl();
  return [
    make(
      'div',
      { class: 'bar' },
      make('h3', {}, 'curl'),
      makeCopyButton('curl', () => curl.textContent),
    ),
    curl,
    make('div', { class: 'try' }, make('h3', {}, 'Try it'), form, shown),
  ];
}

function makeField(root, parameter) {
  const { name, required = false, example } = parameter;
  const schema = resolve(root, parameter.schema);
  const id = makeId();
  const choices = schema.enum;
  const input =
    choices === undefined
      ? make('input', {
          id,
          required,
          type: schema.type === 'integer' ? 'number' : 'text',
          min: schema.minimum,
          max: schema.maximum,
          placeholder: schema.default ?? (required ? example : undefined),
          autocomplete: 'off',
          spellcheck: 'false',
          autocapitalize: 'none',
        })
      : make(
          'select',
          { id, required },
          ['', ...choices].map((choice) => make('option', {}, choice)),
        );
  const place = parameter.in === 'header' ? 'header' : parameter.in === 'path' ? 'in the path' : 'query';
  const label = make('label', { for: id }, name, ' ', make('span', { class: 'quiet' }, place));
  return { parameter, input, element: make('p', {}, label, input) };
}

/** The input for a body, with a choice of its content type. */
function makeBody(root, { content }, fields) {
  const types = Object.keys(content);
  const id = makeId();
  const choose = make(
    'select',
    { id },
    types.map((type) => make('option', { value: type }, toTypeLabel(type))),
  );
  const container = make('div', {});
  let editor;
  const change = () => {
    editor = makeEditor(root, choose.value, content[choose.value], fields);
    container.replaceChildren(editor.element);
  };
  choose.addEventListener('change', change);
  change();
  const label = make('p', {}, make('label', { for: id }, 'Body'), choose);
  return { element: make('div', { class: 'choice' }, label, container), read: () => editor.read() };
}

const anyBytes = 'application/octet-stream';

function toTypeLabel(type) {
  return type === anyBytes ? 'the file itself, under its own type' : type;
}

function makeEditor(root, type, media, fields) {
  if (type === 'multipart/form-data') return makeMultipart(root, media, fields);
  if (/json$/.test(type) || type === 'application/x-www-form-urlencoded') return makeTextEditor(type, media);
  const picker = makePicker('The file', fields);
  return {
    element: picker.element,
    read: () => {
      const [file] = picker.input.files;
      if (file === undefined) return { type: '', text: '' };
      // Other types than that of any bytes say how an upload goes on.
      return { type: (type === anyBytes && file.type) || type, file };
    },
  };
}

function makeTextEditor(type, media) {
  const id = makeId();
  const isJson = /json$/.test(type);
  const example = media.example ?? Object.values(media.examples ?? {})[0]?.value;
  const area = make('textarea', { id, spellcheck: 'false', autocapitalize: 'none' });
  area.value =
    example === undefined ? '' : isJson ? JSON.stringify(example, null, 2) : String(new URLSearchParams(example));
  area.rows = Math.min(24, area.value.split('\n').length + 1);
  return {
    element: make('p', {}, make('label', { for: id }, isJson ? 'JSON' : 'Form'), area),
    read: () => ({ type, text: area.value }),
  };
}

function makeMultipart(root, media, fields) {
  const { properties } = resolve(root, media.schema);
  const parts = Object.entries(properties).map(([name, schema]) => {
    if (schema.format === 'binary') return { name, ...makePicker(name, fields) };
    if (schema.items?.format === 'binary') return { name, ...makePicker(name, fields, { multiple: '' }) };
    const id = makeId();
    const input = make('input', { id, autocomplete: 'off', spellcheck: 'false' });
    const label = make('label', { for: id }, name, ' ', make('span', { class: 'quiet' }, toTypeName(root, schema)));
    return { name, input, element: make('p', {}, label, input) };
  });
  return {
    element: make(
      'div',
      { class: 'fields' },
      parts.map(({ element }) => element),
    ),
    read: () => ({
      form: parts.flatMap(({ name, input }) =>
        (input.type === 'file' ? [...input.files] : [input.value]).map((value) => ({ name, value })),
      ),
    }),
  };
}

/** The name of the picked file also fills the header FileName, unless the reader has entered one. */
function makePicker(name, fields, attributes = {}) {
  const id = makeId();
  const input = make('input', { id, type: 'file', ...attributes });
  input.addEventListener('change', () => {
    const header = fields.find(({ parameter }) => parameter.name === 'FileName');
    const [file] = input.files;
    if (header !== undefined && file !== undefined && header.input.value === '') {
      header.input.value = encodeURIComponent(file.name);
    }
  });
  return { input, element: make('p', {}, make('label', { for: id }, name), input) };
}

async function showAnswer(read) {
  const began = performance.now();
  try {
    const answer = await send(read());
    const bytes = await answer.blob();
    const ms = Math.round(performance.now() - began);
    const state = make(
      'span',
      { class: `status ${answer.ok ? 'good' : 'bad'}` },
      `${answer.status} ${answer.statusText}`,
    );
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    return make(
      'div',
      {},
      make('p', {}, state, make('span', { class: 'quiet' }, ` ${bytes.size.toLocaleString('en')} bytes in ${ms} ms`)),
      await showBytes(bytes, answer.headers.get('content-type') ?? ''),
      make('details', {}, make('summary', {}, 'Headers'), make('pre', { class: 'wrapped', tabindex: 0 }, headers)),
    );
  } catch (error) {
    return make('p', { class: 'bad' }, `It could not be sent: ${error.message}`);
  }
}

async function showBytes(bytes, type) {
  if (bytes.size === 0) return make('p', { class: 'quiet' }, 'No body.');
  const isText = /^(application\/([\w.+-]*\+)?json|text\/)/.test(type);
  if (!isText || bytes.size > maxShownBytes) return makeSaveLink(bytes);
  const text = await bytes.text();
  return make(
    'pre',
    { class: 'wrapped answer-body', tabindex: 0, 'aria-label': 'The answer' },
    /json/.test(type) ? tidy(text) : text,
  );
}

function tidy(text) {
  try {
    return toReadable(JSON.parse(text));
  } catch {
    return text;
  }
}

function makeSaveLink(bytes) {
  const link = make('a', { download: 'answer' }, 'Save the bytes');
  link.href = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  return make('p', {}, link);
}
