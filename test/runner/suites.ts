// What `npm test` and `npm run test:long` consist of. Long and patient suites stand first: short ones fill the gaps at the end.
// A suite's fixture is started once, before its first job, and shared by all of them: what needs none comes first, to go on meanwhile.

import { globSync } from 'node:fs';
import { join } from 'node:path';
import { openTally } from '../security/tallying.ts';
import { type Fixture, openInterfaceTarget, sharedBrowser, sharedStores } from './fixtures.ts';
import { type Job, root, toTestFile } from './job.ts';

export interface Suite {
  name: string;
  jobs: Job[];
  fixture?: () => Promise<Fixture>;
  /** How many of its test files run in one process; one, if it does not say. */
  filesPerProcess?: number;
  /** What measures has the machine to itself. */
  isAlone?: boolean;
}

const node = process.execPath;
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

function files(suite: string, ...patterns: string[]): Job[] {
  return globSync(patterns, { cwd: root })
    .sort()
    .map((path) => toTestFile(suite, path));
}

function program(suite: string, name: string, ...command: string[]): Job {
  return { suite, name, command, isTestFile: false };
}

function crash(suite: string, ...words: string[]): Job {
  return program(suite, `crash ${words.join(' ')}`, node, 'test/crash/run.ts', ...words);
}

/** What is refused or answered before the catalog is asked, or leads to verbs that other files try. On PostgreSQL only the long run has it. */
const withoutEngine =
  /\/(1-environments|3-envelope|4-(save-file-bodies|uploads-draft)|5-(authentication|token)|7-.*|8-limits|10-(console|description|empty-body|limits|link|managing|settings)|14-shared-page|16-.*|18-thumbnail|bad-input)\.test\.ts$/;

const dependsOnEngine = ({ name }: Job) => !withoutEngine.test(name);

/** Everything that a change can break, at small sizes. */
export function listSuites(): Suite[] {
  return [
    {
      name: 'crash',
      jobs: [
        crash('crash', '--kills', '3'),
        crash('crash', '--faults', '--size', '6'),
        crash('crash', '--states', '80', '--served', '1'),
        crash('crash', '--aborts', '40', '--slow', '50'),
        crash('crash', '--flips', '30'),
        crash('crash', '--disk-full', '--rounds', '1'),
      ],
    },
    {
      name: 'cluster',
      jobs: files('cluster', 'test/cluster/*.test.ts'),
      fixture: sharedStores,
    },
    { name: 'browser', jobs: files('browser', 'test/browser/*.test.ts'), fixture: sharedBrowser, filesPerProcess: 4 },
    { name: 'service', jobs: files('service', 'test/service/*.test.ts'), filesPerProcess: 6 },
    { name: 'resume', jobs: [program('resume', 'resume', node, 'test/resume/run.ts', '--uploads', '18')] },
    {
      name: 'model',
      jobs: [
        program('model', 'model', node, 'test/model/run.ts', '--seconds', '8'),
        program('model', 'grants', node, 'test/model/grants/run.ts', '--seconds', '9', '--seed', '2026'),
      ],
    },
    { name: 'security', jobs: files('security', 'test/security/*.test.ts'), fixture: openTally, filesPerProcess: 6 },
    {
      name: 'interface on PostgreSQL and S3',
      jobs: files('interface on PostgreSQL and S3', 'test/interface/*.test.ts').filter(dependsOnEngine),
      fixture: () => openInterfaceTarget({ isShared: true, isWhole: false }),
      filesPerProcess: 8,
    },
    {
      name: 'interface',
      jobs: files('interface', 'test/interface/*.test.ts'),
      fixture: () => openInterfaceTarget({ isShared: false, isWhole: true }),
      filesPerProcess: 6,
    },
    { name: 'webdav', jobs: files('webdav', 'test/webdav/*.test.ts'), fixture: sharedStores, filesPerProcess: 4 },
    { name: 'mcp', jobs: files('mcp', 'test/mcp/*.test.ts') },
    { name: 'command line', jobs: files('command line', 'test/cli/*.test.ts'), filesPerProcess: 4 },
    { name: 'client', jobs: files('client', 'sdk/test/*.test.ts'), filesPerProcess: 5 },
    { name: 'examples', jobs: files('examples', 'test/examples/*.test.ts', 'test/clients/*.test.ts') },
    {
      name: 'types and lint',
      jobs: [
        program('types and lint', 'tsc', bin('tsc')),
        program('types and lint', 'tsc -p sdk', bin('tsc'), '-p', 'sdk'),
        program('types and lint', 'tsc -p console', bin('tsc'), '-p', 'console'),
        program('types and lint', 'biome check', bin('biome'), 'check'),
      ],
    },
    {
      name: 'units',
      jobs: files('units', '{src,console}/**/*.test.ts', 'test/*.test.ts', 'test/runner/*.test.ts', 'bench/*.test.ts'),
      fixture: sharedStores,
      filesPerProcess: 12,
    },
  ];
}

/** The same code with larger numbers, and what measures. */
export function listLongSuites(): Suite[] {
  const one = (name: string, ...command: string[]): Suite => ({ name, jobs: [program(name, name, ...command)] });
  const long = (name: string, ...words: string[]): Suite => ({ name, jobs: [crash(name, ...words)] });
  return [
    long('seeded-bugs', '--seeded-bugs'),
    long('states', '--states', '20000', '--served', '20'),
    long('kills', '--kills', '1000'),
    long('faults', '--faults'),
    long('aborts', '--aborts', '2000'),
    long('flips', '--flips', '1000'),
    long('disk-full', '--disk-full'),
    one('cluster-faults', node, 'test/cluster/faults.ts', '--minutes', '5'),
    one('resume', node, 'test/resume/run.ts', '--uploads', '500'),
    one('resume-large', node, 'test/resume/run.ts', '--large', '--gib', '4'),
    one('model', node, 'test/model/run.ts', '--seconds', '300'),
    one('grants', node, 'test/model/grants/run.ts', '--seconds', '600', '--workers', '6'),
    one('generated-clients', node, 'test/clients/generated-clients.ts'),
    one('schemathesis', node, 'test/clients/schemathesis.ts'),
    { name: 'packages', jobs: files('packages', 'test/packages/*.test.ts') },
    {
      name: 'webhooks',
      jobs: files('webhooks', 'test/service/webhooks-durability.test.ts', 'test/cluster/webhooks.test.ts'),
    },
    {
      name: 'large',
      jobs: files(
        'large',
        'test/service/{memory,archive,backup,disk-full,faults,faults-stopping,hostile-connections,http-threads,import,journal,restart,search,trees-cut}.test.ts',
        'test/security/{attacks-sign-in-*,foreign-ids,keys}.test.ts',
        'test/cluster/{s3,migrate-killed,nodes,nodes-rolling}.test.ts',
        'src/catalog/{postgres/postgres,sqlite/sqlite,page-cache/first-pages}.test.ts',
        'src/{rest/bodies/multipart,runtime/shared-counters}.test.ts',
        'test/browser/console-many.test.ts',
      ),
    },
    {
      name: 'interface',
      jobs: files('interface', 'test/interface/*.test.ts'),
      fixture: () => openInterfaceTarget({ isShared: true, isWhole: true }),
      filesPerProcess: 8,
    },
    { name: 'webdav', jobs: files('webdav', 'test/webdav/{clients,fuzz}.test.ts'), fixture: sharedStores },
    { name: 'bench', jobs: files('bench', 'bench/long/*.test.ts') },
    { ...one('hostile-tenant', node, 'test/security/long/hostile-tenant.ts'), isAlone: true },
    { name: 'cost', jobs: files('cost', 'test/security/long/*.test.ts'), isAlone: true },
    { ...one('guard', node, 'bench/main.ts', 'guard'), isAlone: true },
  ];
}
