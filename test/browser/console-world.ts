// A service with people and a space full of things, and a browser in which they sign in to the console.

import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { type Caller, call, createFolder, fetchToken, saveFile } from '../interface/client.ts';
import { Browser } from '../security/browser.ts';
import { addApplication, type Person, setUp } from '../service/operator.ts';
import { type Environment, eventually, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, type StartHereOptions, startServiceHere } from '../service/service-here.ts';
import { type OpenedBrowser, openBrowser, patientMs } from './browser.ts';
import { drawPicture } from './sample-picture.ts';

/** The application that the console is. */
const consoleAppKey = 'ak_cabinetconsole000000000000000000';

type Cookies = Parameters<BrowserContext['addCookies']>[0];

export interface World {
  dataFolder: string;
  service: StartedHere;
  base: string;
  /** An application of the space, to prepare and to look. */
  caller: Caller;
  browser: OpenedBrowser;
  people: Record<'editor' | 'viewer' | 'manager', Person>;
  /** By user: the cookies of someone who has signed in. */
  kept: Map<string, Cookies>;
  /** Moves the clock of the service, if it was opened with one. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

export async function openWorld(
  environment: Environment = {},
  { hasClock = false }: Pick<StartHereOptions, 'hasClock'> = {},
): Promise<World> {
  const dataFolder = makeDataFolder();
  const service = await startServiceHere(dataFolder, { environment, hasClock });
  const scopes = 'content.read content.write content.admin';
  const application = { Name: 'office', ...(await addApplication(dataFolder, 'office', { scopes })) };
  const caller = { base: service.production, application, token: await fetchToken(service.production, application) };
  const people = {
    editor: await addMember(caller, 'edith', 'editor'),
    viewer: await addMember(caller, 'victor', 'viewer'),
    manager: await addMember(caller, 'mona', 'manager'),
  };
  const browser = await openBrowser();
  return {
    dataFolder,
    service,
    base: service.production,
    caller,
    browser,
    people,
    kept: new Map(),
    advance: (ms) => service.advance(ms),
    async close() {
      await browser.close();
      await service.stop();
      removeDataFolder(dataFolder);
    },
  };
}

async function addMember(caller: Caller, user: string, role: string): Promise<Person> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ Id: user, Role: role });
  const answer = await call(caller, '/users', { method: 'POST', headers, body });
  const { SetupUrl } = JSON.parse(answer.body.toString()) as { SetupUrl: string };
  const Password = `a long word for the ${role}`;
  await setUp(SetupUrl, Password);
  return { User: user, Password };
}

export interface OpenedConsole {
  page: Page;
  context: BrowserContext;
  /** What the browser complained of: violated policies, faults, requests elsewhere. */
  problems: string[];
}

export interface ConsoleOptions {
  path?: string;
  colorScheme?: 'light' | 'dark';
  viewport?: { width: number; height: number };
  locale?: string;
  isTouch?: boolean;
  /** Whether the password is typed in the page, as a person does. */
  isAsked?: boolean;
}

/** In a browser in which somebody has signed in before, the console does not ask for it. Signing out in the page forgets it. */
const rememberSignIn = `try {
  if (sessionStorage.getItem('seen') === null) localStorage.setItem('cabinet.known', '1');
  sessionStorage.setItem('seen', '1');
} catch {}`;

/** A browser of its own for each person: nothing of one sign-in is seen by the other. */
export async function openConsole(
  world: Pick<World, 'base' | 'browser' | 'kept'>,
  who: Person,
  options: ConsoleOptions = {},
): Promise<OpenedConsole> {
  const { path = '/', colorScheme = 'light', viewport = { width: 1280, height: 800 }, locale = 'en-GB' } = options;
  const made = await world.browser.newContext({
    colorScheme,
    viewport,
    locale,
    // Each click would wait until a dialog has come to rest; what moves is drawn anew for each frame.
    reducedMotion: 'reduce',
    hasTouch: options.isTouch ?? false,
    acceptDownloads: true,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await made.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // That a file has no thumbnail or preview is an answer, which browsers report like a mistake.
    const isMissingPicture = /\/(thumbnail|preview)\?/.test(message.location().url);
    if (message.type() === 'error' && !isMissingPicture) problems.push(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(blob|data|chrome|chrome-extension):/.test(url) && !url.startsWith(world.base))
      problems.push(`requested ${url}`);
  });
  if (options.isAsked) {
    await signIn(page, world.base + path, who);
  } else {
    const cookies = world.kept.get(who.User) ?? (await signInByRequests(world.base, who));
    world.kept.set(who.User, cookies);
    await made.addCookies(cookies);
    await made.addInitScript(rememberSignIn);
    await page.goto(world.base + path);
    await page.waitForSelector('.shell');
  }
  return { page, context: made, problems };
}

export async function signIn(page: Page, address: string, { User, Password }: Person): Promise<void> {
  await page.goto(address);
  await page.getByRole('button', { name: /Sign in|Anmelden/ }).click();
  await page.fill('#user', User);
  await page.fill('#password', Password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.shell');
}

/** As `signIn`, by the same requests without a page: a fraction of the work. */
async function signInByRequests(base: string, { User, Password }: Person): Promise<Cookies> {
  const browser = new Browser();
  const query = new URLSearchParams({
    client_id: consoleAppKey,
    redirect_uri: `${base}/`,
    response_type: 'code',
    scope: 'openid',
    state: 'any',
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  });
  const asked = await browser.open(`${base}/oauth2/authorize?${query}`);
  const back = await browser.submit(asked, { user: User, password: Password });
  assert.ok(back.url.searchParams.has('code'), back.text);
  const { hostname: domain } = new URL(base);
  return browser.cookies.map((cookie) => ({ ...cookie, domain, httpOnly: true, sameSite: 'Lax' }));
}

/** Leads to another address like the console's own links, which load nothing anew: a tenth of the work of a load. */
export async function walkTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`);
}

const overlays = ':is([role=dialog], [role=alertdialog], [role=menu])';

/** Closes the dialog or the menu on top. Keys go where the focus is, which moves a moment after one of these has come or gone. */
export async function leaveByEscape(page: Page): Promise<void> {
  await page.locator(`${overlays}:focus-within`).last().waitFor();
  const before = await page.locator(overlays).count();
  await page.keyboard.press('Escape');
  await eventually('it is closed', async () => (await page.locator(overlays).count()) < before, patientMs);
}

/**
 * As somebody who was away for longer than the console keeps answers: what is open is closed, and what the page shows is asked for anew.
 * Like a load, for a fraction of its work.
 */
export async function comeBackTo(page: Page, path: string): Promise<void> {
  await walkTo(page, '/search');
  await page.locator('.filters').waitFor();
  await page.evaluate('{ const before = Date.now; Date.now = () => before() + 20_000; }');
  await walkTo(page, path);
  await page.locator('.filters').waitFor({ state: 'detached' });
}

/** As `walkTo`, until what is in the folder is there. */
export async function walkToFolder(page: Page, { Id, Name }: { Id: string; Name: string }): Promise<void> {
  await walkTo(page, `/files/${Id}`);
  await page.getByRole('heading', { level: 1, name: Name, exact: true }).waitFor();
  await page.locator('.entries, .empty').first().waitFor();
}

/** A few things of every kind. */
export async function fillSamples({ caller }: World): Promise<{ invoices: string }> {
  const invoices = await createFolder(caller, '-root-', 'Invoices');
  await createFolder(caller, invoices.Id, '2026');
  await createFolder(caller, invoices.Id, '2025');
  await createFolder(caller, '-root-', 'Contracts');
  await createFolder(caller, '-root-', 'Photos');
  const save = (name: string, body: string | Buffer, type: string, folder = '') =>
    saveFile(caller, { FolderId: folder, FileName: name, 'Content-Type': type }, body);
  await save('Welcome.md', welcome, 'text/markdown');
  await save('Budget 2026.csv', 'Quarter,Planned,Spent\nQ1,12000,11350\nQ2,14500,14010\nQ3,9800,\n', 'text/csv');
  await save(
    'plan.ts',
    'export function plan(days: number): string {\n  // short\n  return String(days * 24);\n}\n',
    'text/plain',
  );
  await save('letter.txt', 'Dear Ms Ames,\n\nplease find the invoice attached.\n', 'text/plain');
  await save('letter.txt', 'Dear Ms Ames,\n\nplease find both invoices attached.\nThank you.\n', 'text/plain');
  await save('picture.png', drawPicture(), 'image/png');
  await save('Invoice 4711.txt', 'Invoice 4711 for ACME Corp, payable within 14 days.', 'text/plain', invoices.Id);
  return { invoices: invoices.Id };
}

const welcome = `# Welcome to the office

This folder is **ours**. Some rules:

- invoices go into _Invoices_
- what is old stays: every save keeps the older version

> When it says saved, it is saved.

See [the interface](https://example.com/docs) and \`cabinet help\`.
`;

/** 2 × 2, four colours. */
export const samplePng = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP4z8DA8B+IGRgY/jMwMAAAHgQD/qEsKs8AAAAASUVORK5CYII=',
  'base64',
);
