// Shows text, and says so where the browser cannot show a picture, a sound or a film. What a file contains becomes text nodes, never
// markup or script. Markdown and PDF have scripts of their own, in `console/sharing`.

const look = document.querySelector('[data-look]');
const { look: kind, source, bytes, none } = look?.dataset ?? {};

function showNothing() {
  const text = document.createElement('p');
  text.className = 'soft';
  text.textContent = none;
  look.replaceChildren(text);
}

async function fetchBytes(headers = {}) {
  const answer = await fetch(source, { headers });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return answer;
}

/** The beginning, if the text is long. */
async function showText() {
  const answer = await fetchBytes({ Range: `bytes=0-${Number(bytes) - 1}` });
  const text = document.createElement('pre');
  text.textContent = decode(new Uint8Array(await answer.arrayBuffer()), answer.headers.get('Content-Type') ?? '');
  look.replaceChildren(text);
  // For `visitor-markdown.tsx` of the console.
  look.dispatchEvent(new Event('shown'));
}

/** By its byte order mark, else by the declared charset, else UTF-8. */
function decode(content, type) {
  const [, declared = 'utf-8'] = /;\s*charset="?([\w-]+)/i.exec(type) ?? [];
  const [first, second] = content;
  const marked = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : null;
  try {
    return new TextDecoder(marked ?? declared).decode(content);
  } catch {
    return new TextDecoder().decode(content);
  }
}

/** Also if it failed before this script ran. The state `NETWORK_NO_SOURCE` does not say that: a load begins with it, too. */
function watchMedia(media) {
  const hasFailed =
    media instanceof HTMLImageElement ? media.complete && media.naturalWidth === 0 : media.error !== null;
  if (hasFailed) showNothing();
  else media.addEventListener('error', showNothing);
}

if (kind === 'text' || kind === 'markdown') showText().catch(showNothing);
else if (look?.firstElementChild?.matches('img, audio, video')) watchMedia(look.firstElementChild);
