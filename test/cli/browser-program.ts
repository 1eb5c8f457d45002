// Plays the browser and Ann: opens the address that it is given, signs in, and follows the way back.

import { readFileSync } from 'node:fs';
import { Browser } from '../security/browser.ts';

const [, , address = ''] = process.argv;
const browser = new Browser();
const password = readFileSync('password.txt', 'utf8').trim();
const back = await browser.submit(await browser.open(address), { user: 'ann', password });
await (await fetch(back.url)).text();
