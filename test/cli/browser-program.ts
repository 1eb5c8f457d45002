// Plays the browser and Ann: opens the address that it is given, signs in, agrees, and follows the way back.

import { Browser } from '../security/browser.ts';

const [, , address = ''] = process.argv;
const browser = new Browser();
// As the walk-through of docs/command-line.md sets it.
const password = 'correct horse battery staple';
const asked = await browser.submit(await browser.open(address), { user: 'ann', password });
const back = await browser.submit(asked, { answer: 'allow' });
await (await fetch(back.url)).text();
