import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { skipWithout } from '../../test/service/programs.ts';
import { Converter, type ConverterLimits, defaultLimits } from './converter.ts';
import type { Isolation } from './isolation.ts';

const limits: ConverterLimits = { ...defaultLimits, timeoutMs: 20_000 };
const document = Buffer.from('the document');

interface Made {
  folder: string;
  program: string;
}

/** A converter that runs this shell text. */
function makeProgram(context: TestContext, text: string): Made {
  const folder = mkdtempSync(join(tmpdir(), 'cabinet-converter-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'soffice');
  writeFileSync(
    program,
    `#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in --outdir) out=$2; shift ;; --*|-env*) [ "$1" = --convert-to ] && shift ;; *) document=$1 ;; esac
  shift
done
pdf=$out/document.pdf
${text}
`,
  );
  chmodSync(program, 0o755);
  return { folder, program };
}

async function convert(made: Made, isolation: Isolation, own: Partial<ConverterLimits> = {}) {
  const converter = new Converter(made.program, { ...limits, ...own }, isolation);
  return await converter.convert(document, 'docx');
}

const toPdf = 'printf "%%PDF-1.7 " > "$pdf"';

const isolations: readonly { isolation: Isolation; skip: false | string }[] = [
  { isolation: 'sandbox', skip: skipWithout('bubblewrap') },
  { isolation: 'namespaces', skip: skipWithout('unshare') },
  { isolation: 'none', skip: false },
];

for (const { isolation, skip } of isolations) {
  describe(`a converter with the isolation ${isolation}`, { skip }, () => {
    test('turns a document into a PDF, knows its type, and has none of our settings', async (context) => {
      const made = makeProgram(
        context,
        `${toPdf}; cat "$document" >> "$pdf"; echo " $document" >> "$pdf"; env >> "$pdf"`,
      );
      process.env.CABINET_SECRET_FOR_TEST = 'x';
      context.after(() => delete process.env.CABINET_SECRET_FOR_TEST);
      const converted = await convert(made, isolation);
      const text = String(converted !== 'unavailable' && converted.pdf);
      assert.match(text, /^%PDF-1\.7 the document .*\/document\.docx\n/);
      assert.doesNotMatch(text, /CABINET/);
    });

    test('has a profile of its own, in which macros are off', async (context) => {
      const made = makeProgram(context, `${toPdf}; cat "$out/../profile/user/registrymodifications.xcu" >> "$pdf"`);
      const converted = await convert(made, isolation);
      assert.match(
        String(converted !== 'unavailable' && converted.pdf),
        /DisableMacrosExecution" oor:op="fuse"><value>true</,
      );
    });

    test('makes nothing if it fails, makes something else, or makes nothing', async (context) => {
      for (const text of [`${toPdf}; exit 1`, 'echo hello > "$pdf"', 'exit 0', `${toPdf}; kill -9 $$`]) {
        assert.deepEqual(await convert(makeProgram(context, text), isolation), { pdf: null }, text);
      }
    });

    test('is ended when it hangs, with what it has started, and leaves nothing on the disk', async (context) => {
      const before = listWork();
      const made = makeProgram(context, `${toPdf}; sleep 1234.5 & sleep 1234.5`);
      assert.deepEqual(await convert(made, isolation, { timeoutMs: 1000 }), { pdf: null });
      assert.deepEqual(
        listWork().filter((name) => !before.includes(name)),
        [],
      );
    });

    test('is ended when it has written too much, or takes too much memory', async (context) => {
      const own = { maxOutputBytes: 1024 * 1024, maxMemoryBytes: 256 * 1024 * 1024 };
      const flood = makeProgram(context, `${toPdf}; yes >> "$pdf"`);
      assert.deepEqual(await convert(flood, isolation, own), { pdf: null });
      const greedy = makeProgram(context, `${toPdf}; head -c 500000000 /dev/zero | tail -c 400000000 > /dev/null`);
      assert.deepEqual(await convert(greedy, isolation, own), { pdf: null });
    });

    test('what it prints is not taken for the PDF', async (context) => {
      const made = makeProgram(context, 'printf "%%PDF-1.7 printed"; yes | head -c 1000000');
      assert.deepEqual(await convert(made, isolation), { pdf: null });
    });
  });
}

test('in the sandbox it writes nowhere else, and sees no file of ours', {
  skip: isolations[0]?.skip,
}, async (context) => {
  const made = makeProgram(context, toPdf);
  const elsewhere = mkdtempSync(join(tmpdir(), 'cabinet-elsewhere-'));
  context.after(() => rmSync(elsewhere, { recursive: true, force: true }));
  writeFileSync(join(elsewhere, 'secret'), 'a secret');
  const target = join(elsewhere, 'target');
  const beside = join(made.folder, 'target');
  const text = (path: string) =>
    `${toPdf}; cat ${join(elsewhere, 'secret')} >> "$pdf"; ls / >> "$pdf"; echo x > ${path}; true`;
  for (const path of [target, beside, '/usr/cabinet-target', '/cabinet-target']) {
    const program = makeProgram(context, text(path));
    const converted = await convert(program, 'sandbox');
    const pdf = String(converted !== 'unavailable' && converted.pdf);
    assert.match(pdf, /^%PDF-1\.7 .*\busr\b/s);
    assert.doesNotMatch(pdf, /a secret|\broot\b|\bhome\b/);
    assert.equal(existsSync(path), false, path);
  }
});

for (const { isolation, skip } of isolations.slice(0, 2)) {
  test(`with the isolation ${isolation} it has no network`, { skip: skip || skipWithout('bash') }, async (context) => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    context.after(() => server.close());
    const { port } = server.address() as { port: number };
    const call = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}' && echo connected >> "$pdf"; true`;
    const made = makeProgram(context, `${toPdf}; ${call}`);
    const converted = await convert(made, isolation);
    assert.equal(String(converted !== 'unavailable' && converted.pdf), '%PDF-1.7 ');
    assert.equal(connections, 0);
    await convert(made, 'none');
    assert.equal(connections, 1, 'the test itself connects');
  });
}

test('a program that is not there fails every document, and closing ends what runs', async (context) => {
  const missing = { folder: '/', program: '/nowhere/soffice' };
  assert.deepEqual(await convert(missing, 'none'), { pdf: null });
  const made = makeProgram(context, `${toPdf}; sleep 1234.5`);
  const converter = new Converter(made.program, limits, 'none');
  const converting = converter.convert(document, 'docx');
  await new Promise((resolve) => setImmediate(resolve));
  await converter.close();
  assert.equal(await converting, 'unavailable');
  assert.equal(await converter.convert(document, 'docx'), 'unavailable');
});

test('the best isolation that works here is found', async (context) => {
  const made = makeProgram(context, toPdf);
  const expected = isolations.find(({ skip }) => skip === false)?.isolation;
  assert.equal(await new Converter(made.program).findIsolation(), expected);
});

function listWork(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('cabinet-preview-'));
}
