// The page behind a setup link, where the owner of an account sets a password.

import type { AuthWords } from './page-words.ts';
import { escapeHtml, layout } from './pages.ts';

interface SetupPage {
  user: string;
  name: string;
  problem: string | null;
}

export function renderSetupPage({ user, name, problem }: SetupPage, { setPassword, language }: AuthWords): string {
  return layout(
    problem === null ? setPassword.title : setPassword.again,
    `<h1>${setPassword.heading(escapeHtml(name))}</h1>
${problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`}<form method="post">
<label for="user">${setPassword.user}</label>
<input id="user" value="${escapeHtml(user)}" autocomplete="username" readonly>
<label for="password">${setPassword.label}</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="256" aria-describedby="rules" required autofocus>
<p id="rules">${setPassword.rules}</p>
<button>${setPassword.button}</button>
</form>`,
    language,
  );
}

/** `home`: the path of the console. */
export function renderSetupDonePage(home: string, { setPassword, language }: AuthWords): string {
  const link = (text: string) => `<a href="${escapeHtml(home)}">${text}</a>`;
  return layout(
    setPassword.done,
    `<h1>${setPassword.doneHeading}</h1>\n<p>${setPassword.doneHelp(link)}</p>`,
    language,
  );
}

export function renderNoSetupPage({ setPassword, language }: AuthWords): string {
  return layout(
    setPassword.dead,
    `<h1>${setPassword.deadHeading}</h1>
<p class="problem">${setPassword.deadWhy}</p>
<p>${setPassword.deadHelp}</p>`,
    language,
  );
}
