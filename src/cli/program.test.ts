// The help of the command line, and what it says of usage errors.

import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { runProgram } from './program.ts';
import { userGroups } from './user/groups.ts';

interface Output {
  stdout: string;
  stderr: string;
  code: typeof process.exitCode;
}

async function cabinet(...words: string[]): Promise<Output> {
  const earlier = process.exitCode;
  const written = { stdout: '', stderr: '' };
  const mocks = (['stdout', 'stderr'] as const).map((name) =>
    mock.method(process[name], 'write', (text: unknown) => {
      written[name] += String(text);
      return true;
    }),
  );
  try {
    await runProgram(words, { description: 'Test.', groups: userGroups, learnMore: 'Nothing.' });
    return { ...written, code: process.exitCode };
  } finally {
    for (const one of mocks) one.mock.restore();
    process.exitCode = earlier;
  }
}

test('the help of every command has examples that begin with its name', async () => {
  for (const name of Object.values(userGroups).flatMap(Object.keys)) {
    const { stdout } = await cabinet(name, '--help');
    const [, examples = ''] = stdout.split('\nExamples:\n');
    assert.match(examples, new RegExp(`^  .*cabinet ${name}\\b`, 'm'), name);
    assert.deepEqual(
      stdout.split('\n').filter((line) => line.length > 120),
      [],
    );
  }
});

test('the help lists its options once, and every command', async () => {
  const { stdout } = await cabinet('--help');
  assert.equal(stdout.split('\nOptions:\n').length, 2);
  assert.match(stdout, /^ {2}--version +print the version$/m);
  for (const name of Object.values(userGroups).flatMap(Object.keys)) {
    assert.match(stdout, new RegExp(`^  ${name} +\\S`, 'm'));
  }
});

test('a usage error names the usage of the command that was meant, and its help', async () => {
  const missing = await cabinet('put');
  assert.deepEqual(missing, {
    stdout: '',
    stderr:
      "cabinet: missing required argument 'paths'\nUsage: cabinet put [options] LOCAL… REMOTE\nRun cabinet help put for its options.\n",
    code: 2,
  });
  const part = await cabinet('share', 'revoke');
  assert.match(part.stderr, /\nUsage: cabinet share revoke \[options\] <link>\nRun cabinet help share revoke for/);
  const unknown = await cabinet('frob');
  assert.equal(unknown.stderr, "cabinet: unknown command 'frob'\nRun cabinet help for a list of commands.\n");
});
