// Makes elements. Text is always set as text, so nothing that the service returns can become markup.

/** `make('p', { class: 'quiet' }, 'text', child)`; attributes that are false, null or undefined are left out. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(
    ...children
      .flat(Number.POSITIVE_INFINITY)
      .filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Paragraphs, and code between backticks: all the Markdown that the description uses. */
export function renderText(text) {
  return text.split(/\n{2,}/).map((paragraph) => make('p', {}, renderLine(paragraph)));
}

export function renderLine(text) {
  return text.split('`').map((piece, index) => (index % 2 === 1 ? make('code', {}, piece) : piece));
}

let lastId = 0;

export function makeId() {
  lastId += 1;
  return `e${lastId}`;
}

/** JSON for reading. Characters that turn the direction of text, or do not show, are written as escapes. */
export function toReadable(value) {
  return JSON.stringify(value, null, 2).replaceAll(
    /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A button that copies the result of `read`, and confirms it. */
export function makeCopyButton(what, read) {
  const label = `Copy ${what}`;
  const button = make('button', { type: 'button', class: 'small' }, label);
  button.addEventListener('click', async () => {
    button.textContent = (await copy(read())) ? 'Copied' : 'Press Ctrl+C';
    setTimeout(() => {
      button.textContent = label;
    }, 1500);
  });
  return button;
}

/** Browsers offer the clipboard API to secure origins only; elsewhere `execCommand` is used. */
async function copy(text) {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Not permitted: `execCommand` may still be.
    }
  }
  const area = make('textarea', { 'aria-label': 'To copy' });
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
