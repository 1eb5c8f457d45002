// The pages after the password: the second factor, setting one up, and the recovery codes. They work without script; `step` says
// whose password was right.

import { encode } from 'uqr';
import type { AuthWords } from './page-words.ts';
import { escapeHtml, layout } from './pages.ts';

interface SecondFactorPage {
  step: string;
  problem: string | null;
  hasTotp: boolean;
  /** For the browser, if the person has a passkey. */
  passkey: { options: object; script: string } | null;
}

export function renderSecondFactorPage(
  { step, problem, hasTotp, passkey }: SecondFactorPage,
  { secondStep, signIn, language }: AuthWords,
): string {
  const label = hasTotp ? secondStep.codeOrRecovery : secondStep.recovery;
  return layout(
    problem === null ? secondStep.title : secondStep.again,
    `<h1>${secondStep.heading}</h1>
${renderProblem(problem)}${renderPasskey(step, passkey, secondStep)}<form method="post">
${renderStep(step)}
<label for="code">${label}</label>
${renderCodeInput(hasTotp)}
<button>${signIn.button}</button>
</form>`,
    language,
  );
}

/** The script shows the form: without it, there is nothing that could answer. */
function renderPasskey(step: string, passkey: SecondFactorPage['passkey'], words: AuthWords['secondStep']): string {
  if (passkey === null) return '';
  return `<p class="problem" id="passkey-problem" role="alert" hidden>${words.passkeyProblem}</p>
<form method="post" id="passkey" data-options="${escapeHtml(JSON.stringify(passkey.options))}" hidden>
${renderStep(step)}
<input type="hidden" name="credential">
<button>${words.passkey}</button>
<p>${words.without}</p>
</form>
<script type="module" src="${escapeHtml(passkey.script)}"></script>
`;
}

interface SetupFactorPage {
  step: string;
  problem: string | null;
  secret: string;
  uri: string;
}

export function renderSetupFactorPage(
  { step, problem, secret, uri }: SetupFactorPage,
  { setUp, language }: AuthWords,
): string {
  const link = (text: string) => `<a href="${escapeHtml(uri)}">${text}</a>`;
  return layout(
    problem === null ? setUp.title : setUp.again,
    `<h1>${setUp.title}</h1>
${renderProblem(problem)}<p>${setUp.help}</p>
${renderQrCode(uri, setUp.picture)}
<p><code>${escapeHtml(secret.replaceAll(/.{4}(?=.)/g, '$& '))}</code></p>
<p>${setUp.onPhone(link)}</p>
<form method="post">
${renderStep(step)}
<label for="code">${setUp.code}</label>
${renderCodeInput(true)}
<button>${setUp.button}</button>
</form>`,
    language,
  );
}

/** Dark on light in every theme, so that cameras read it. */
function renderQrCode(text: string, label: string): string {
  const { size, data } = encode(text, { ecc: 'M', border: 4 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return `<svg role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" width="240" height="240" shape-rendering="crispEdges">
<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path d="${path}"/>
</svg>`;
}

export function renderRecoveryCodesPage(
  { step, codes }: { step: string; codes: readonly string[] },
  { recoveryCodes, language }: AuthWords,
): string {
  const items = codes.map((code) => `<li><code>${escapeHtml(code)}</code></li>`).join('\n');
  return layout(
    recoveryCodes.title,
    `<h1>${recoveryCodes.heading}</h1>
<p>${recoveryCodes.help}</p>
<ul>
${items}
</ul>
<form method="post">
${renderStep(step)}
<button>${recoveryCodes.button}</button>
</form>`,
    language,
  );
}

function renderProblem(problem: string | null): string {
  return problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`;
}

function renderStep(step: string): string {
  return `<input type="hidden" name="step" value="${escapeHtml(step)}">`;
}

function renderCodeInput(isNumber: boolean): string {
  const kind = isNumber ? 'autocomplete="one-time-code"' : 'autocomplete="off"';
  return `<input id="code" name="code" ${kind} autocapitalize="none" spellcheck="false" maxlength="40" required autofocus>`;
}
