// Sends the chosen files by tus, shows the progress, and goes on after a lost connection.

const form = document.querySelector('form[data-uploads]');
const list = document.querySelector('ul[data-list]');
const tus = { 'Tus-Resumable': '1.0.0' };
const maxAttempts = 8;

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const input = form.querySelector('input[type=file]');
  const button = form.querySelector('button');
  const files = [...input.files];
  button.disabled = true;
  for (const file of files) await sendFile(file);
  button.disabled = false;
  form.reset();
});

async function sendFile(file) {
  const item = document.createElement('li');
  const name = document.createElement('span');
  name.className = 'name';
  name.textContent = file.name;
  const progress = document.createElement('progress');
  progress.max = Math.max(1, file.size);
  progress.value = 0;
  progress.setAttribute('aria-label', `Sending ${file.name}`);
  const state = document.createElement('span');
  state.textContent = 'Sending';
  item.append(name, progress, state);
  list.append(item);
  try {
    await upload(file, (sent) => {
      progress.value = sent;
    });
    progress.value = progress.max;
    state.textContent = 'Sent';
  } catch (error) {
    state.textContent = error.message;
  }
}

async function upload(file, onProgress) {
  const begun = await request('POST', form.dataset.uploads, {
    headers: { 'Upload-Length': `${file.size}`, FileName: encodeURIComponent(file.name) },
  });
  const address = begun.getResponseHeader('Location');
  for (let offset = 0, attempts = 0; offset < file.size; ) {
    try {
      const start = offset;
      const answer = await request('PATCH', address, {
        headers: { 'Upload-Offset': `${offset}`, 'Content-Type': 'application/offset+octet-stream' },
        body: file.slice(offset),
        onProgress: (sent) => onProgress(start + sent),
      });
      offset = Number(answer.getResponseHeader('Upload-Offset'));
    } catch (error) {
      attempts += 1;
      if (error.isRefused || attempts === maxAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000 * attempts));
      const head = await request('HEAD', address, {}).catch(() => null);
      if (head !== null) offset = Number(head.getResponseHeader('Upload-Offset'));
    }
  }
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
      else reject(Object.assign(new Error(toMessage(sent)), { isRefused: sent.status < 500 && sent.status !== 409 }));
    };
    sent.onerror = () => reject(new Error('The connection was lost'));
    sent.send(body);
  });
}

function toMessage({ responseText, status }) {
  try {
    return JSON.parse(responseText).Error.Message;
  } catch {
    return `Not sent (${status})`;
  }
}
