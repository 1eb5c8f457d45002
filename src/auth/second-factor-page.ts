// The pages after the password: the second factor, setting one up, and the recovery codes. They work without script; `step` says
// whose password was right.

import { encode } from 'uqr';
import { escapeHtml, layout } from './pages.ts';

interface SecondFactorPage {
  step: string;
  problem: string | null;
  hasTotp: boolean;
  /** For the browser, if the person has a passkey. */
  passkey: { options: object; script: string } | null;
}

export function renderSecondFactorPage({ step, problem, hasTotp, passkey }: SecondFactorPage): string {
  const label = hasTotp ? 'Code of your authenticator app, or a recovery code' : 'Recovery code';
  return layout(
    problem === null ? 'Second step' : 'Second step: try again',
    `<h1>One more step</h1>
${renderProblem(problem)}${renderPasskey(step, passkey)}<form method="post">
${renderStep(step)}
<label for="code">${label}</label>
${renderCodeInput(hasTotp)}
<button>Sign in</button>
</form>`,
  );
}

/** The script shows the form: without it, there is nothing that could answer. */
function renderPasskey(step: string, passkey: SecondFactorPage['passkey']): string {
  if (passkey === null) return '';
  return `<p class="problem" id="passkey-problem" role="alert" hidden>The passkey did not work. Try again, or use a code.</p>
<form method="post" id="passkey" data-options="${escapeHtml(JSON.stringify(passkey.options))}" hidden>
${renderStep(step)}
<input type="hidden" name="credential">
<button>Use your passkey</button>
<p>Or without it:</p>
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

export function renderSetupFactorPage({ step, problem, secret, uri }: SetupFactorPage): string {
  return layout(
    problem === null ? 'Set up a second step' : 'Set up a second step: try again',
    `<h1>Set up a second step</h1>
${renderProblem(problem)}<p>Signing in here needs more than a password. Open an authenticator app, add an account, and scan this picture, or enter the key:</p>
${renderQrCode(uri)}
<p><code>${escapeHtml(secret.replaceAll(/.{4}(?=.)/g, '$& '))}</code></p>
<p>On a phone, <a href="${escapeHtml(uri)}">open the app with the key</a>.</p>
<form method="post">
${renderStep(step)}
<label for="code">Code that the app shows</label>
${renderCodeInput(true)}
<button>Go on</button>
</form>`,
  );
}

/** Dark on light in every theme, so that cameras read it. */
function renderQrCode(text: string): string {
  const { size, data } = encode(text, { ecc: 'M', border: 4 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return `<svg role="img" aria-label="QR code with the key" viewBox="0 0 ${size} ${size}" width="240" height="240" shape-rendering="crispEdges">
<path fill="#fff" d="M0 0h${size}v${size}h-${size}z"/><path d="${path}"/>
</svg>`;
}

export function renderRecoveryCodesPage({ step, codes }: { step: string; codes: readonly string[] }): string {
  const items = codes.map((code) => `<li><code>${escapeHtml(code)}</code></li>`).join('\n');
  return layout(
    'Recovery codes',
    `<h1>Keep these recovery codes</h1>
<p>Each of them replaces the app once, when you don’t have it at hand. They are not shown again.</p>
<ul>
${items}
</ul>
<form method="post">
${renderStep(step)}
<button>I have kept them</button>
</form>`,
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
