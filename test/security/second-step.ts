// The page of a sign-in after the password.

import assert from 'node:assert/strict';
import type * as client from 'openid-client';
import type { Person } from '../service/operator.ts';
import { Browser, type Page } from './browser.ts';
import { type Begun, begin } from './people.ts';

export interface Opened {
  browser: Browser;
  begun: Begun;
  shown: Page;
}

export async function openStep(
  configuration: client.Configuration,
  { User, Password }: Person,
  headers: Record<string, string> = {},
): Promise<Opened> {
  const browser = new Browser();
  const begun = await begin(configuration);
  const first = await browser.open(begun.url);
  const body = new URLSearchParams({ user: User, password: Password });
  const shown = await browser.open(first.url, { method: 'POST', body, headers });
  assert.equal(shown.status, 200, shown.text);
  return { browser, begun, shown };
}

export const stepOf = ({ text }: Page) => /name="step" value="([^"]+)"/.exec(text)?.[1] ?? '';
