// The pages for signing in and out: plain HTML that works without script, in light and dark mode, on phones and with screen readers.
// All input is escaped.

import { hash } from 'node:crypto';
import { type AuthWords, usualWords } from './page-words.ts';

const style = `
:root { color-scheme: light dark; font: 100%/1.5 Inter, ui-sans-serif, system-ui, sans-serif; --desk: #efece4; --paper: #fffdf9; --ink: #1e2522; --line: #8b9189; --accent: #17594a; --accent-ink: #fff; --bad: #a92c22; --manila: #e9b44c; --focus: #2263c4; }
@media (prefers-color-scheme: dark) { :root { --desk: #121614; --paper: #222925; --ink: #e9e8e1; --line: #6d776f; --accent: #7fcbb2; --accent-ink: #0c211a; --bad: #ff9d8f; --focus: #8ab8ff; } }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--desk); color: var(--ink); border-block-start: .4rem solid var(--manila); box-sizing: border-box; }
main { width: min(22rem, calc(100vw - 2rem)); padding: 2rem 0; }
h1 { font-size: 1.6rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 1.5rem; }
label { display: block; font-weight: 600; margin: 1rem 0 .25rem; }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .6rem .7rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--paper); color: inherit; }
button { font: inherit; font-weight: 600; margin-top: 1.5rem; padding: .65rem 1rem; width: 100%; border: 1px solid transparent; border-radius: .4rem; background: var(--accent); color: var(--accent-ink); cursor: pointer; }
button.other { background: transparent; color: inherit; border-color: var(--line); margin-top: .75rem; }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.problem { margin: 0 0 1rem; padding: .6rem .8rem; border-left: .3rem solid var(--bad); background: color-mix(in srgb, var(--bad) 12%, var(--paper)); }
`;

const styleSource = `'sha256-${hash('sha256', style, 'base64')}'`;

export interface SignInPage {
  applicationName: string;
  user: string;
  problem: string | null;
  /** The person who is signed in already, where an account is to be chosen. Null: there is nothing to choose from. */
  signedInAs: string | null;
}

export function renderSignInPage({ applicationName, user, problem, signedInAs }: SignInPage, words: AuthWords): string {
  const { signIn } = words;
  const focus = user === '' ? ['autofocus', ''] : ['', 'autofocus'];
  const heading = signedInAs === null ? signIn.heading : signIn.choose;
  return layout(
    problem === null ? signIn.title : signIn.again,
    `<h1>${heading(escapeHtml(applicationName))}</h1>
${problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`}${renderChoice(signedInAs, words)}<form method="post">
<label for="user">${signIn.user}</label>
<input id="user" name="user" value="${escapeHtml(user)}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="128" required ${focus[0]}>
<label for="password">${signIn.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="256" required ${focus[1]}>
<button>${signIn.button}</button>
</form>`,
    words.language,
  );
}

function renderChoice(signedInAs: string | null, { signIn }: AuthWords): string {
  if (signedInAs === null) return '';
  return `<form method="post">
<button name="account" value="current">${signIn.goOnAs(escapeHtml(signedInAs))}</button>
</form>
<p>${signIn.orOther}</p>
`;
}

/** `form` is the issuer's own, with its CSRF protection. */
export function renderSignOutPage(form: string, { signOut, language }: AuthWords): string {
  return layout(
    signOut.title,
    `<h1>${signOut.heading}</h1>
${form}
<button form="op.logoutForm" name="logout" value="yes" autofocus>${signOut.button}</button>
<button form="op.logoutForm" class="other">${signOut.stay}</button>`,
    language,
  );
}

export function renderSignedOutPage({ signOut, language }: AuthWords): string {
  return layout(signOut.done, `<h1>${signOut.doneHeading}</h1>\n<p>${signOut.doneHelp}</p>`, language);
}

export function renderErrorPage(problem: string, { trouble, language }: AuthWords = usualWords): string {
  return layout(
    trouble.title,
    `<h1>${trouble.heading}</h1>
<p class="problem">${escapeHtml(problem)}</p>
<p>${trouble.help}</p>`,
    language,
  );
}

export function layout(title: string, content: string, language = 'en'): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} – Cabinet</title>
<style>${style}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** `onwards` is where a form finally redirects to: browsers apply `form-action` to redirects too. Scripts are files, never inline. */
export function toPageHeaders(onwards: string | null, { hasScript = false } = {}): Record<string, string> {
  const origin = onwards === null ? null : URL.parse(onwards)?.origin;
  const formAction = origin === null || origin === undefined || origin === 'null' ? `'self'` : `'self' ${origin}`;
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; ${hasScript ? "script-src 'self'; " : ''}style-src ${styleSource}; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}

interface PageContext {
  body?: unknown;
  set(headers: Record<string, string>): void;
}

/** Shows a page from inside the issuer. */
export function showPage(ctx: PageContext, page: string, onwards?: unknown): void {
  ctx.body = page;
  ctx.set(toPageHeaders(typeof onwards === 'string' ? onwards : null));
}
