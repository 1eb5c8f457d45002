// Office documents in the console, where the service has a converter: their pages, or else their text.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeDocx } from '../../src/search/extract/documents-for-tests.ts';
import { createFolder, saveFile } from '../interface/client.ts';
import { makeConverter } from '../service/stand-in-converter.ts';
import { withoutBrowser } from './browser.ts';
import { openConsole, openWorld, type World } from './console-world.ts';
import { makePdf } from './sample-pdf.ts';
import { checkView } from './view.ts';

const options = { skip: withoutBrowser };
const docxType = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
let world: World;

/** Every document is the same PDF, whose script must not run. */
const converter = makeConverter(`cat "\${0%/*}/sample.pdf" > "$out/document.pdf"`);

before(async () => {
  if (withoutBrowser !== false) return;
  writeFileSync(join(converter.folder, 'sample.pdf'), makePdf('First page', 'Second page'));
  world = await openWorld({ CABINET_OFFICE_CONVERTER: converter.path });
});
after(async () => {
  await world?.close();
  converter.remove();
});

test(
  'pages are shown where a document can be converted, the text where it cannot, each with a note',
  options,
  async () => {
    const folder = await createFolder(world.caller, '-root-', 'documents');
    const save = (name: string, body: Uint8Array) =>
      saveFile(world.caller, { FolderId: folder.Id, FileName: name, 'Content-Type': docxType }, body);
    await save('a.docx', makeDocx(['Dear Ms Ames']));
    // Its parts are stored as they are, so the program finds the word.
    await save('b.docx', Buffer.concat([makeDocx(['Only text']), Buffer.from('fail')]));
    const { page, problems, context } = await openConsole(world, world.people.editor, { path: `/files/${folder.Id}` });
    const viewer = page.locator('.viewer');
    await page.getByRole('row', { name: 'a.docx' }).dblclick();
    await viewer.getByText('a PDF that the server made').waitFor();
    await viewer.locator('.pdf-text', { hasText: 'First page' }).waitFor();
    await viewer.getByText('1 of 2').first().waitFor();
    await checkView(page, 'viewer-office');
    await page.keyboard.press('ArrowRight');
    await viewer.getByText('Only text').waitFor();
    await viewer.getByText('Only the text of the document is shown').waitFor();
    assert.equal(await viewer.getByText('a PDF that the server made').count(), 0);
    assert.deepEqual(problems, []);
    await context.close();
  },
);
