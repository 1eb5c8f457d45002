// The pages of a sign-in on another device (RFC 8628): the code that its screen shows is typed in, and the person sees which device
// asks before anything else happens.

import { escapeHtml, layout } from './pages.ts';

/** Where a person types the code that a device shows. Short, because it is typed too. */
export const devicePath = '/device';

export interface CodeForm {
  /** Where the form is sent. */
  action: string;
  /** Ties the form to this browser. */
  xsrf: string;
}

/** What is known of the device. */
export interface Device {
  address: string;
  userAgent: string;
}

interface ConfirmPage extends CodeForm {
  applicationName: string;
  /** As the device shows it. */
  code: string;
  device: Device;
}

/** The code is never filled in: a link that brings its own code would let others sign their device in as the person. */
export function renderCodePage({ action, xsrf }: CodeForm, problem: string | null): string {
  const alert = problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`;
  return layout(
    problem === null ? 'Sign in on another device' : 'Sign in on another device: try again',
    `<h1>Sign in on another device</h1>
${alert}<p>Type the code that your device shows. Use only a code of a sign-in that you started yourself.</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="xsrf" value="${escapeHtml(xsrf)}">
<label for="user_code">Code</label>
<input id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20" required autofocus>
<button>Continue</button>
</form>`,
  );
}

export function renderConfirmPage({ action, xsrf, applicationName, code, device }: ConfirmPage): string {
  return layout(
    'Check the device',
    `<h1>Sign in ${escapeHtml(applicationName)} on another device?</h1>
<p>That device gets access to your files. Continue only if it is yours, you started the sign-in there yourself, and it shows this code:</p>
<p><strong>${escapeHtml(code)}</strong></p>
${renderDevice(device)}
${codeWarning}
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="xsrf" value="${escapeHtml(xsrf)}">
<input type="hidden" name="user_code" value="${escapeHtml(code)}">
<input type="hidden" name="confirm" value="yes">
<button>Continue</button>
<button class="other" name="abort" value="yes">Cancel</button>
</form>`,
  );
}

export const codeWarning =
  '<p class="problem">Did somebody send you this code? Then cancel: they would get access as you.</p>';

/** What a device says of itself is its claim, and stands in quotation marks. */
export function renderDevice({ address, userAgent }: Device): string {
  const claim = userAgent === '' ? '' : ` It calls itself: <q>${escapeHtml(userAgent)}</q>`;
  return `<p>The request came from the address ${escapeHtml(address)}.${claim}</p>`;
}

export function renderDeviceSignedInPage(applicationName: string): string {
  return layout(
    'The device is signed in',
    `<h1>The device is signed in.</h1>
<p>${escapeHtml(applicationName)} goes on there by itself. You can close this page.</p>`,
  );
}

export function renderDeviceRefusedPage(): string {
  return layout(
    'The device is not signed in',
    '<h1>The device is not signed in.</h1>\n<p>Nothing was allowed. You can close this page.</p>',
  );
}

export function renderTooManyCodesPage(waitSeconds: number): string {
  return layout(
    'Too many wrong codes',
    `<h1>Too many wrong codes</h1>\n<p class="problem" role="alert">Try again in ${waitSeconds} seconds.</p>`,
  );
}
