// The pages of a sign-in on another device (RFC 8628): the code that its screen shows is typed in, and the person sees which device
// asks before anything else happens.

import type { AuthWords } from './page-words.ts';
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
export function renderCodePage({ action, xsrf }: CodeForm, problem: string | null, { device, language }: AuthWords) {
  const alert = problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`;
  return layout(
    problem === null ? device.title : device.again,
    `<h1>${device.title}</h1>
${alert}<p>${device.help}</p>
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="xsrf" value="${escapeHtml(xsrf)}">
<label for="user_code">${device.code}</label>
<input id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20" required autofocus>
<button>${device.button}</button>
</form>`,
    language,
  );
}

export function renderConfirmPage(page: ConfirmPage, words: AuthWords): string {
  const { action, xsrf, applicationName, code } = page;
  const { device, language } = words;
  return layout(
    device.check,
    `<h1>${device.heading(escapeHtml(applicationName))}</h1>
<p>${device.checkHelp}</p>
<p><strong>${escapeHtml(code)}</strong></p>
${renderDevice(page.device, words)}
${renderWarning(words)}
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="xsrf" value="${escapeHtml(xsrf)}">
<input type="hidden" name="user_code" value="${escapeHtml(code)}">
<input type="hidden" name="confirm" value="yes">
<button>${device.button}</button>
<button class="other" name="abort" value="yes">${device.cancel}</button>
</form>`,
    language,
  );
}

/** Against those who lure people into typing a code of theirs. */
export function renderWarning({ device }: AuthWords): string {
  return `<p class="problem">${device.warning}</p>`;
}

/** What a device says of itself is its claim, and stands in quotation marks. */
export function renderDevice({ address, userAgent }: Device, { device }: AuthWords): string {
  const claim = userAgent === '' ? '' : ` ${device.claim(`<q>${escapeHtml(userAgent)}</q>`)}`;
  return `<p>${device.from(escapeHtml(address))}${claim}</p>`;
}

export function renderDeviceSignedInPage(applicationName: string, { device, language }: AuthWords): string {
  const help = device.doneHelp(escapeHtml(applicationName));
  return layout(device.done, `<h1>${device.doneHeading}</h1>\n<p>${help}</p>`, language);
}

export function renderDeviceRefusedPage({ device, language }: AuthWords): string {
  return layout(device.refused, `<h1>${device.refusedHeading}</h1>\n<p>${device.refusedHelp}</p>`, language);
}

export function renderTooManyCodesPage(waitSeconds: number, { device, language }: AuthWords): string {
  const help = device.tooManyHelp(waitSeconds);
  return layout(device.tooMany, `<h1>${device.tooMany}</h1>\n<p class="problem" role="alert">${help}</p>`, language);
}
