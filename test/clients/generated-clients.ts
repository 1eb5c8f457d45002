// `npm run test:long -- --only generated-clients`: openapi-generator makes clients for Python, Go, Java and TypeScript, and each does
// the main operations. A language whose tools are not at hand is skipped, and the output says so. `--only LANGUAGE` runs one.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkClient, openWorld, programs, root, run, type World } from './world.ts';

const version = '7.17.0';
const cache = join(root, 'node_modules/.cache/openapi-generator');
const jar = join(cache, `openapi-generator-cli-${version}.jar`);
const { values } = parseArgs({ options: { only: { type: 'string' } } });

interface Language {
  generator: string;
  needs: readonly string[];
  options?: readonly string[];
  /** In the folder of the client; resolves to the command that runs the program. */
  build(folder: string): Promise<string[]>;
}

const languages: Record<string, Language> = {
  python: {
    generator: 'python',
    needs: ['python3'],
    async build(folder) {
      await run(['python3', '-m', 'venv', '.venv'], { cwd: folder });
      await run(['.venv/bin/pip', 'install', '--quiet', '.'], { cwd: folder });
      return [join(folder, '.venv/bin/python'), 'main.py'];
    },
  },
  go: {
    generator: 'go',
    needs: ['go'],
    async build(folder) {
      mkdirSync(join(folder, 'program'));
      cpSync(join(folder, 'main.go'), join(folder, 'program/main.go'));
      await run(['rm', '-rf', 'main.go', 'test'], { cwd: folder });
      await run(['go', 'mod', 'tidy'], { cwd: folder });
      await run(['go', 'vet', '.'], { cwd: folder });
      await run(['go', 'build', '-o', 'run', './program'], { cwd: folder });
      return [join(folder, 'run')];
    },
  },
  java: {
    generator: 'java',
    needs: ['java', 'mvn'],
    options: ['--library=native'],
    async build(folder) {
      cpSync(join(folder, 'Main.java'), join(folder, 'src/main/java/Main.java'));
      const words = [
        '-q',
        '-B',
        '-Dmaven.test.skip=true',
        '-Dmaven.javadoc.skip',
        'package',
        'dependency:copy-dependencies',
      ];
      await run(['mvn', ...words, '-DoutputDirectory=target/lib'], { cwd: folder });
      return ['java', '-cp', 'target/classes:target/lib/*', 'Main'];
    },
  },
  'typescript-fetch': {
    generator: 'typescript-fetch',
    needs: [],
    async build(folder) {
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
      const tsc = join(root, 'test/clients/node_modules/typescript/bin/tsc');
      const words = ['--strict', '--skipLibCheck', '--module', 'commonjs', '--target', 'es2022', '--types', 'node'];
      await run(['cp', '-r', '.', '../ts-client'], { cwd: folder });
      await run(['mv', '../ts-client', 'client'], { cwd: folder });
      await run(['rm', 'client/main.ts'], { cwd: folder });
      await run([process.execPath, tsc, ...words, 'main.ts'], { cwd: folder });
      return [process.execPath, 'main.js'];
    },
  },
};

await using world = await openWorld();
let failed = 0;
for (const [name, language] of Object.entries(languages)) {
  if (values.only !== undefined && values.only !== name) continue;
  const missing = ['java', ...language.needs].filter((program) => !isThere(program));
  if (missing.length > 0 || !fetchGenerator()) {
    console.error(`SKIPPED ${name}: ${missing.join(', ') || 'openapi-generator could not be fetched'}`);
    continue;
  }
  try {
    console.log(`ok ${name}: ${await check(world, name, language)}`);
  } catch (error) {
    failed += 1;
    console.error(`FAILED ${name}: ${error instanceof Error ? error.message.slice(-6000) : String(error)}`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;

function isThere(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/** By Maven, which keeps it. */
function fetchGenerator(): boolean {
  if (existsSync(jar)) return true;
  const artifact = `org.openapitools:openapi-generator-cli:${version}`;
  const words = ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${cache}`];
  return spawnSync('mvn', words, { stdio: 'inherit' }).status === 0;
}

async function check(world: World, name: string, { generator, options = [], build }: Language): Promise<string> {
  const folder = join(world.folder, name);
  const words = ['generate', '-i', 'openapi.json', '-g', generator, '-o', folder, ...options];
  await run(['java', '-jar', jar, ...words], { cwd: world.folder });
  cpSync(join(programs, name), folder, { recursive: true });
  return await checkClient(world, await build(folder), { cwd: folder, folderName: name });
}
