// Sends the chosen files by tus, shows the progress, and goes on after a lost connection with what is missing.

const form = document.querySelector('form[data-uploads]');
const list = document.querySelector('ul[data-list]');
const words = JSON.parse(form.dataset.words);
const withName = (text, { name }) => text.replace('{name}', () => name);
const tus = { 'Tus-Resumable': '1.0.0' };
/** Without progress between them. */
const maxAttempts = 8;
let unfinished = 0;

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const input = form.querySelector('input[type=file]');
  const button = form.querySelector('button');
  const items = [...input.files].map(addItem);
  form.reset();
  button.disabled = true;
  for (const item of items) await sendFile(item);
  button.disabled = false;
});

window.addEventListener('beforeunload', (event) => {
  if (unfinished > 0) event.preventDefault();
});

function addItem(file) {
  const element = document.createElement('li');
  const name = document.createElement('span');
  name.className = 'name';
  name.textContent = file.name;
  const progress = document.createElement('progress');
  progress.max = Math.max(1, file.size);
  progress.value = 0;
  progress.setAttribute('aria-label', withName(words.runningOne, file));
  const state = document.createElement('span');
  state.className = 'state';
  state.textContent = words.waiting;
  // The bar says it to screen readers, when they ask.
  const percent = document.createElement('span');
  percent.className = 'percent';
  percent.setAttribute('aria-hidden', 'true');
  element.append(name, percent, state, progress);
  list.append(element);
  /** `sent`: the bytes that the service has; null: the upload was not begun. */
  return { file, element, progress, state, percent, address: null, sent: null };
}

async function sendFile(item) {
  const { file, element, progress, state, percent } = item;
  unfinished += 1;
  show(element, 'running');
  try {
    await upload(item, {
      onProgress(sent) {
        progress.value = sent;
        percent.textContent = `${Math.floor((100 * sent) / Math.max(1, file.size))} %`;
        say(state, words.running);
      },
      onLost: () => say(state, words.offline),
    });
    progress.value = progress.max;
    percent.textContent = '';
    show(element, 'sent');
    say(state, words.sent);
  } catch (error) {
    show(element, 'failed');
    say(state, error.message);
    if (!error.isRefused) addRetry(item);
  } finally {
    unfinished -= 1;
  }
}

function show(element, state) {
  element.dataset.state = state;
}

/** Only what is new is read out. */
function say(state, text) {
  if (state.textContent !== text) state.textContent = text;
}

function addRetry(item) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = words.again;
  button.setAttribute('aria-label', withName(words.againOne, item.file));
  button.addEventListener('click', () => {
    button.remove();
    void sendFile(item);
  });
  item.element.append(button);
}

/** Goes on where the service has stopped, also after `Try again`. */
async function upload(item, { onProgress, onLost }) {
  let attempts = 0;
  while (item.sent === null || item.sent < item.file.size) {
    const before = item.sent;
    try {
      await sendRest(item, onProgress);
    } catch (error) {
      attempts = item.sent === before ? attempts + 1 : 1;
      if (error.isRefused || attempts === maxAttempts) throw error;
      onLost();
      await pause(1000 * attempts);
    }
  }
}

/** Sends what the service does not have yet. */
async function sendRest(item, onProgress) {
  const { file } = item;
  if (item.address === null) item.address = await begin(file);
  item.sent = item.sent === null ? 0 : await findOffset(item.address);
  const start = item.sent;
  onProgress(start);
  if (start === file.size) return;
  item.sent = await append(item.address, file, { offset: start, onProgress: (sent) => onProgress(start + sent) });
}

async function begin({ size, name }) {
  const headers = { 'Upload-Length': `${size}`, FileName: encodeURIComponent(name) };
  const begun = await request('POST', form.dataset.uploads, { headers });
  return begun.getResponseHeader('Location');
}

async function findOffset(address) {
  return Number((await request('HEAD', address, {})).getResponseHeader('Upload-Offset'));
}

async function append(address, file, { offset, onProgress }) {
  const headers = { 'Upload-Offset': `${offset}`, 'Content-Type': 'application/offset+octet-stream' };
  const answer = await request('PATCH', address, { headers, body: file.slice(offset), onProgress });
  return Number(answer.getResponseHeader('Upload-Offset'));
}

/** Ends early when the browser is online again. */
function pause(ms) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    window.addEventListener(
      'online',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

/** XMLHttpRequest, because fetch reports no progress of what is sent. */
function request(method, url, { headers = {}, body = null, onProgress = () => {} }) {
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest();
    sent.open(method, url);
    for (const [name, value] of Object.entries({ ...tus, ...headers })) sent.setRequestHeader(name, value);
    sent.upload.onprogress = ({ loaded }) => onProgress(loaded);
    sent.onload = () => {
      if (sent.status < 300) resolve(sent);
      else reject(Object.assign(new Error(toMessage(sent)), { isRefused: isRefusal(sent.status) }));
    };
    sent.onerror = () => reject(new Error(words.lost));
    sent.send(body);
  });
}

/** Not 409 and 423: the service has not noticed yet that the connection before was lost. */
function isRefusal(status) {
  return status < 500 && status !== 409 && status !== 423;
}

function toMessage({ responseText, status }) {
  try {
    const { Code, Message } = JSON.parse(responseText).Error;
    const isTranslated = document.documentElement.lang !== 'en';
    return words.refusals[Code] ?? (isTranslated ? `${words.failed} (${Code})` : Message);
  } catch {
    return `${words.failed} (${status})`;
  }
}
