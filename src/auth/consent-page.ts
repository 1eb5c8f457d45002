// The page that asks a person whether an application may act for them. It names the application, the person and the rights.

import { type Device, renderDevice, renderWarning } from './device-pages.ts';
import type { AuthWords } from './page-words.ts';
import { escapeHtml, layout } from './pages.ts';

export interface ConsentPage {
  applicationName: string;
  userName: string;
  /** The scopes that the application asks for and may have. */
  scopes: readonly string[];
  /** Where the browser goes with the answer. Null: nowhere, `device` goes on. */
  redirectUri: string | null;
  device: Device | null;
}

export function renderConsentPage(
  { applicationName, userName, scopes, redirectUri, device }: ConsentPage,
  words: AuthWords,
): string {
  const { consent } = words;
  const application = escapeHtml(applicationName);
  const items = scopes.map((scope) => `<li>${escapeHtml(consent.rights[scope] ?? scope)}</li>`).join('\n');
  const onwards = redirectUri === null ? consent.onDevice : consent.back(escapeHtml(toPlace(redirectUri)));
  return layout(
    consent.title,
    `<h1>${consent.heading(application)}</h1>
<p>${consent.asks(`<strong>${escapeHtml(userName)}</strong>`, application)}</p>
<ul>
${items}
</ul>
${device === null ? '' : `${renderDevice(device, words)}\n${renderWarning(words)}\n`}<p>${onwards}</p>
<form method="post">
<button name="answer" value="allow">${consent.allow}</button>
<button class="other" name="answer" value="deny">${consent.cancel}</button>
</form>`,
    words.language,
  );
}

/** The host of a web page; the scheme of a program (`com.example.app:/back`). */
function toPlace(redirectUri: string): string {
  const { host, protocol } = URL.parse(redirectUri) ?? { host: '', protocol: redirectUri };
  return host === '' ? protocol : host;
}
