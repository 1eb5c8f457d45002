// A `fetch` that reports upload progress, which browsers offer only for XMLHttpRequest.

import type { Fetch } from '@cabinet/client';

export function toProgressFetch(onSent: (bytes: number) => void): Fetch {
  return (url, init) => {
    if (!(init.body instanceof Blob)) return fetch(url, init as RequestInit);
    return sendBlob(url, { ...init, body: init.body }, onSent);
  };
}

function sendBlob(
  url: string,
  { method, headers, body, signal }: Parameters<Fetch>[1] & { body: Blob },
  onSent: (bytes: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    // Browsers set the length themselves and forbid the header.
    for (const [name, value] of Object.entries(headers)) {
      if (name.toLowerCase() !== 'content-length') request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => resolve(toResponse(request));
    request.onerror = () => reject(new TypeError('the connection was lost'));
    request.onabort = () => reject(signal?.reason ?? new DOMException('aborted', 'AbortError'));
    signal?.addEventListener('abort', () => request.abort(), { once: true });
    if (signal?.aborted) request.abort();
    else request.send(body);
  });
}

function toResponse(request: XMLHttpRequest): Response {
  const lines = request
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/);
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, at), line.slice(at + 1).trim()];
  });
  const hasBody = request.status !== 204 && request.status !== 304;
  return new Response(hasBody ? request.responseText : null, { status: request.status, headers });
}
