// The page behind a setup link, where the owner of an account sets a password.

import { escapeHtml, layout } from './pages.ts';

interface SetupPage {
  user: string;
  name: string;
  problem: string | null;
}

export function renderSetupPage({ user, name, problem }: SetupPage): string {
  return layout(
    problem === null ? 'Set your password' : 'Set your password: try again',
    `<h1>Welcome, ${escapeHtml(name)}</h1>
${problem === null ? '' : `<p class="problem" role="alert">${escapeHtml(problem)}</p>\n`}<form method="post">
<label for="user">User</label>
<input id="user" value="${escapeHtml(user)}" autocomplete="username" readonly>
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="256" aria-describedby="rules" required autofocus>
<p id="rules">12 to 256 characters. Four words that do not belong together are easy to remember.</p>
<button>Set password</button>
</form>`,
  );
}

/** `home`: the path of the console. */
export function renderSetupDonePage(home: string): string {
  return layout(
    'Your password is set',
    `<h1>Your password is set.</h1>
<p>This link cannot be used again. <a href="${escapeHtml(home)}">Sign in</a></p>`,
  );
}

export function renderNoSetupPage(): string {
  return layout(
    'This link does not work',
    `<h1>This link does not work.</h1>
<p class="problem">It was used already, has expired, or was replaced by a newer one.</p>
<p>Ask whoever sent it for a new link.</p>`,
  );
}
