// Previews of office documents by a converter (docs/contract.md §18.9): a program that stands in for LibreOffice.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeDocx } from '../../src/search/extract/documents-for-tests.ts';
import { assertRefusal } from '../interface/assertions.ts';
import { type Answer, type Caller, call, fetchToken, type Headers, saveFile } from '../interface/client.ts';
import { addApplication } from './operator.ts';
import { type Environment, makeDataFolder, removeDataFolder, startService } from './service.ts';
import { makeConverter } from './stand-in-converter.ts';

const docxType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

interface World {
  caller: Caller;
  dataFolder: string;
  converter: string;
  restart(environment?: Environment): Promise<void>;
}

/** Says the name of the document. */
const script = `grep -q slow "$document" && sleep 0.5
printf '%%PDF-1.7 %s %s' "\${document##*/}" "$(cksum < "$document")" > "$out/document.pdf"`;

async function openWorld(context: TestContext, environment: Environment = {}): Promise<World> {
  const dataFolder = makeDataFolder();
  const { path: converter, remove } = makeConverter(script);
  const start = (own: Environment) =>
    startService(dataFolder, { environment: { CABINET_OFFICE_CONVERTER: converter, ...environment, ...own } });
  let service = await start({});
  context.after(async () => {
    await service.stop();
    removeDataFolder(dataFolder);
    remove();
  });
  const application = { Name: 'office', ...(await addApplication(dataFolder, 'office')) };
  const token = await fetchToken(service.production, application);
  const world: World = {
    caller: { base: service.production, application, token },
    dataFolder,
    converter,
    async restart(own = {}) {
      await service.stop();
      service = await start(own);
      world.caller = {
        base: service.production,
        application,
        token: await fetchToken(service.production, application),
      };
    },
  };
  return world;
}

const ask = (caller: Caller, id: string, query = '', headers: Headers = {}) =>
  call(caller, `/files/${id}/preview${query}`, { headers });

async function save(caller: Caller, name: string, body: Uint8Array | string, type = docxType): Promise<string> {
  const headers = { FileName: name, 'Content-Type': type, FolderId: '-root-' };
  return (await saveFile(caller, headers, body)).File.Id;
}

function assertPdf(answer: Answer): string {
  assert.equal(answer.status, 200, answer.body.toString());
  assert.equal(answer.headers['content-type'], 'application/pdf');
  assert.match(String(answer.headers['content-disposition']), /^attachment/);
  assert.match(String(answer.headers['content-security-policy']), /sandbox/);
  return answer.body.toString();
}

test('An office document is a PDF, made once, by its type and not by its name', async (context) => {
  const world = await openWorld(context);
  const { caller } = world;
  const id = await save(caller, 'letter; rm -rf ~.docx', makeDocx(['Dear Ms Ames']));
  const first = await ask(caller, id);
  const text = assertPdf(first);
  assert.match(text, /^%PDF-1\.7 document\.docx \d+/);
  const etag = String(first.headers.etag);
  assert.equal((await ask(caller, id, '', { 'If-None-Match': etag })).status, 304);
  // What cannot be converted again comes from the cache.
  const program = readFileSync(world.converter);
  writeFileSync(world.converter, '#!/bin/sh\nexit 1\n');
  assert.equal(assertPdf(await ask(caller, id)), text);
  await world.restart();
  assert.equal(assertPdf(await ask(world.caller, id)), text);
  // A lost cache is no fault: it is made again.
  const cache = join(world.dataFolder, 'production', 'previews');
  assert.equal(readdirSync(cache).length, 1);
  rmSync(cache, { recursive: true });
  writeFileSync(world.converter, program);
  assert.equal(assertPdf(await ask(world.caller, id)), text);
});

test('Each version has its own', async (context) => {
  const { caller } = await openWorld(context);
  const id = await save(caller, 'a.docx', makeDocx(['one']));
  const one = await ask(caller, id);
  await save(caller, 'a.docx', makeDocx(['two']));
  const two = await ask(caller, id);
  assert.notEqual(assertPdf(one), assertPdf(two));
  assert.notEqual(one.headers.etag, two.headers.etag);
  assert.equal(assertPdf(await ask(caller, id, '?version=1')), assertPdf(one));
  assertRefusal(await ask(caller, id, '?version=3'), 404, 'VersionNotFound');
});

test('What is no office document, and what cannot be converted, has none', async (context) => {
  const { caller } = await openWorld(context);
  for (const id of [
    await save(caller, 'a.txt', 'text', 'text/plain'),
    await save(caller, 'empty.docx', ''),
    await save(caller, 'b.docx', 'fail'),
    await save(caller, 'c.doc', 'old', 'application/msword'),
  ]) {
    assertRefusal(await ask(caller, id), 404, 'NoPreview');
  }
  assertPdf(await ask(caller, await save(caller, 'd.ODT', 'x', 'application/octet-stream')));
});

test('Every HTTP thread answers; documents that are asked for at once are converted one by one, each once', async (context) => {
  const { caller, dataFolder } = await openWorld(context, { CABINET_HTTP_THREADS: '2' });
  const ids = await Promise.all([0, 1, 2, 3].map((index) => save(caller, `${index}.docx`, `slow ${index}`)));
  const begun = performance.now();
  const answers = await Promise.all([...ids, ...ids].map((id) => ask(caller, id)));
  // Each of the four sleeps for half a second.
  assert.ok(performance.now() - begun >= 4 * 500);
  assert.equal(new Set(answers.map(assertPdf)).size, 4);
  assert.equal(readdirSync(join(dataFolder, 'production', 'previews')).length, 4);
});

test('Without a converter, and with one that is not there, there is none', async (context) => {
  const world = await openWorld(context);
  const id = await save(world.caller, 'a.docx', makeDocx(['one']));
  for (const converter of ['', '/nowhere/soffice']) {
    await world.restart({ CABINET_OFFICE_CONVERTER: converter });
    assertRefusal(await ask(world.caller, id), 404, 'NoPreview');
  }
});
