// A media element plays what a link leads to, and jumps to the end of it without fetching all that lies between.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { type Caller, call, saveFile } from '../interface/client.ts';
import { addCaller, makeDataFolder, removeDataFolder } from '../service/service.ts';
import { type StartedHere, startServiceHere } from '../service/service-here.ts';
import { type OpenedBrowser, openBrowser, withoutBrowser } from './browser.ts';
import { makeSound, samplesPerSecond } from './sample-media.ts';

const seconds = 600;
const dataFolder = makeDataFolder();
let service: StartedHere;
let caller: Caller;
let browser: OpenedBrowser;

before(async () => {
  if (withoutBrowser) return;
  service = await startServiceHere(dataFolder);
  caller = await addCaller(dataFolder, service.production, 'player');
  browser = await openBrowser();
});

after(async () => {
  if (withoutBrowser) return;
  await browser.close();
  await service.stop();
  removeDataFolder(dataFolder);
});

test('a media element can seek in a linked file', { skip: withoutBrowser }, async (context) => {
  const { File } = await saveFile(
    caller,
    { FolderId: '', FileName: 'silence.wav', 'Content-Type': 'audio/wav' },
    makeSound(seconds),
  );
  const body = JSON.stringify({ Disposition: 'inline', ExpiresInSeconds: 600 });
  const headers = { 'Content-Type': 'application/json' };
  const made = await call(caller, `/files/${File.Id}/link`, { method: 'POST', headers, body });
  const { Url } = JSON.parse(String(made.body)) as { Url: string };

  // The page is someone else's: a link is for pages that cannot send headers.
  const page = `<!doctype html><title>player</title><audio src="${Url}" preload="metadata"></audio>`;
  const server = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end(page));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());

  const opened = await browser.context.newPage();
  const ranges: string[] = [];
  opened.on('response', (response) => {
    if (response.url() === Url && response.status() === 206) ranges.push(response.headers()['content-range'] ?? '');
  });
  await opened.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const seek = `new Promise((resolve, reject) => {
    const audio = document.querySelector('audio');
    audio.addEventListener('error', () => reject(new Error(audio.error?.message)));
    const go = () => {
      audio.addEventListener('seeked', () => resolve({ duration: audio.duration, at: audio.currentTime }));
      audio.currentTime = ${seconds - 5};
    };
    if (audio.readyState >= 1) go();
    else audio.addEventListener('loadedmetadata', go);
  })`;
  const reached = (await opened.evaluate(seek)) as { duration: number; at: number };
  assert.equal(Math.round(reached.duration), seconds);
  assert.equal(Math.round(reached.at), seconds - 5);
  const starts = ranges.map((range) => Number(/^bytes (\d+)-/.exec(range)?.[1]));
  assert.ok(
    starts.some((start) => start > (seconds - 60) * samplesPerSecond * 2),
    `no range near the end among ${ranges.join(', ')}`,
  );
});
