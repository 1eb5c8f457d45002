// `npm run test:long -- --only schemathesis`: schemathesis 4 reads the description and sends thousands of requests that obey it, and
// thousands that do not, to a service on SQLite and to one on PostgreSQL: as an application to everything, and as a person to the
// account of that person. `schemathesis.toml` has what is switched off, and why.
// `--database sqlite|postgres`, `--examples N`, `--seed N` run a part. Fewer cases than `--cases` fail the run.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findDatabases } from '../cluster/ground.ts';
import { fetchToken } from '../interface/client.ts';
import { addPage, discover, signIn } from '../security/people.ts';
import { addApplication, addUser } from '../service/operator.ts';
import { skipWithout } from '../service/programs.ts';
import { makeDataFolder, removeDataFolder } from '../service/service.ts';
import { startServiceHere } from '../service/service-here.ts';
import { root, runShown } from './world.ts';

const version = '4.32.5';
const venv = join(root, 'node_modules/.cache', `schemathesis-${version}`);
const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'both' },
    examples: { type: 'string', default: '40' },
    cases: { type: 'string', default: '5000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  },
});

/** What applications are refused. Ending sessions would end the one of the test. */
const ownAccount = [
  ...['--include-path-regex', '/(me|shared-with-me)(/|$)'],
  ...['--exclude-operation-id', 'MeSessionsEndAll', '--exclude-operation-id', 'MeSessionsEnd'],
];

const skip = skipWithout('python3');
if (skip !== false) {
  console.error(`SKIPPED: ${String(skip)}`);
  process.exit(0);
}
install();
let isGood = true;
if (values.database !== 'postgres') isGood = (await judge('SQLite', {})) && isGood;
if (values.database !== 'sqlite') {
  const databases = await findDatabases();
  isGood = (await judge('PostgreSQL', { CABINET_CATALOG: await databases.make() })) && isGood;
  await databases.stop();
}
process.exit(isGood ? 0 : 1);

function install(): void {
  if (existsSync(join(venv, 'bin/schemathesis'))) return;
  for (const [program, words] of [
    ['python3', ['-m', 'venv', venv]],
    [join(venv, 'bin/pip'), ['install', '--quiet', `schemathesis==${version}`]],
  ] as const) {
    const { status } = spawnSync(program, words, { stdio: 'inherit' });
    if (status !== 0) throw new Error(`${program} ${words.join(' ')} failed`);
  }
}

async function judge(name: string, environment: Record<string, string>): Promise<boolean> {
  const dataFolder = makeDataFolder();
  const service = await startServiceHere(dataFolder, { environment });
  const base = service.production;
  try {
    const scopes = 'content.read content.write content.admin';
    const application = await addApplication(dataFolder, 'schemathesis', { scopes });
    const token = await fetchToken(base, { Name: 'schemathesis', ...application });
    const all = await send(`${name}, as an application`, { base, ...application, token }, []);
    console.log(`at least ${values.cases} cases`);
    const own = await send(`${name}, as a person`, await signInPerson(dataFolder, base), ownAccount);
    return all.isGood && own.isGood && all.cases >= Number(values.cases);
  } finally {
    await service.stop();
    removeDataFolder(dataFolder);
  }
}

async function signInPerson(dataFolder: string, base: string): Promise<Identity> {
  const page = await addPage(dataFolder, 'page');
  const person = await addUser(dataFolder, 'ann');
  const { access_token: token } = await signIn(await discover(base, page), person);
  return { base, AppKey: page.AppKey, token };
}

interface Identity {
  base: string;
  AppKey: string;
  token: string;
}

async function send(
  what: string,
  { base, AppKey, token }: Identity,
  more: readonly string[],
): Promise<{ isGood: boolean; cases: number }> {
  console.log(`schemathesis ${version} on ${what}, seed ${values.seed}`);
  const { code, output } = await runShown(join(venv, 'bin/schemathesis'), [
    ...['--config-file', join(import.meta.dirname, 'schemathesis.toml')],
    ...['run', `${base}/openapi.json`],
    ...['-H', `Authorization: Bearer ${token}`, '-H', `AppKey: ${AppKey}`],
    ...['--max-examples', values.examples, '--seed', values.seed, '--continue-on-failure', '--no-shrink'],
    // How often hypothesis draws again says nothing about the service.
    '--suppress-health-check=filter_too_much',
    ...more,
  ]);
  const cases = Number(/(\d+) generated/.exec(output)?.[1] ?? 0);
  console.log(`schemathesis on ${what}: ${cases} cases, exit code ${code}`);
  return { isGood: code === 0, cases };
}
