// The page that asks a person whether an application may act for them. It names the application, the person and the rights.

import { codeWarning, type Device, renderDevice } from './device-pages.ts';
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

const rights: Record<string, string> = {
  openid: 'Know who you are',
  profile: 'See your name',
  offline_access: 'Stay signed in after you close the browser',
  'content.read': 'See your folders and files',
  'content.write': 'Add, change and delete your folders and files',
  'content.admin': 'Manage people, applications and spaces where you are a manager',
};

export function renderConsentPage({ applicationName, userName, scopes, redirectUri, device }: ConsentPage): string {
  const items = scopes.map((scope) => `<li>${escapeHtml(rights[scope] ?? scope)}</li>`).join('\n');
  const onwards =
    redirectUri === null
      ? 'Only the device on which you started the sign-in gets this access. Go back to it afterwards.'
      : `Either way, you go back to ${escapeHtml(toPlace(redirectUri))}.`;
  return layout(
    'Allow access',
    `<h1>Allow ${escapeHtml(applicationName)} to use Cabinet?</h1>
<p>You are signed in as <strong>${escapeHtml(userName)}</strong>. ${escapeHtml(applicationName)} asks to:</p>
<ul>
${items}
</ul>
${device === null ? '' : `${renderDevice(device)}\n${codeWarning}\n`}<p>${onwards}</p>
<form method="post">
<button name="answer" value="allow">Allow</button>
<button class="other" name="answer" value="deny">Cancel</button>
</form>`,
  );
}

/** The host of a web page; the scheme of a program (`com.example.app:/back`). */
function toPlace(redirectUri: string): string {
  const { host, protocol } = URL.parse(redirectUri) ?? { host: '', protocol: redirectUri };
  return host === '' ? protocol : host;
}
