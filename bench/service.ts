// A Cabinet on a temporary data folder: the command line registers an application, everything else uses HTTP.

import type { Children } from './children.ts';
import { bodySizeBytes, type Job } from './job.ts';
import type { Options } from './options.ts';

export type Service = {
  pid: number;
  base: string;
  /** What every content request carries. */
  headers: Record<string, string>;
  application: Application;
};

export type Application = { AppKey: string; Secret: string; RootFolderId: string };
type Envelope = { Folder: { Id: string; Size: number } };

/** With an application that was registered before the service started, or with a new one. */
export async function startService(children: Children, options: Options, registered?: Application): Promise<Service> {
  const env = toEnvironment(children, options);
  const { program } = options;
  const serving = await children.serve({ program, args: ['serve', '--json'], env });
  const application = registered ?? (await register(children, options));
  const base = (serving.ready as { Production: string }).Production;
  const token = await fetchToken(base, application);
  const headers = { Authorization: `Bearer ${token}`, AppKey: application.AppKey };
  return { pid: serving.pid, base, headers, application };
}

/** Also while no service runs. */
export async function register(children: Children, options: Options): Promise<Application> {
  const env = toEnvironment(children, options);
  const args = ['app', 'add', 'bench', '--json'];
  return (await children.run({ program: options.program, args, env })) as Application;
}

export type IndexStatus = { Indexed: number; Waiting: number; Behind: number; Building: boolean };

export async function askIndex(
  children: Children,
  options: Options,
  command: 'status' | 'rebuild',
): Promise<IndexStatus> {
  const env = toEnvironment(children, options);
  return (await children.run({ program: options.program, args: ['index', command, '--json'], env })) as IndexStatus;
}

/** Whether everything is indexed. */
export function isInStep({ Behind, Waiting, Building }: IndexStatus): boolean {
  return Behind + Waiting === 0 && !Building;
}

export function catalogFile(children: Children): string {
  return `${dataFolder(children)}/production/catalog.db`;
}

function dataFolder(children: Children): string {
  return `${children.folder}/data`;
}

export async function createFolder(service: Service, name: string): Promise<string> {
  const body = JSON.stringify({ FolderName: name });
  const headers = { ...service.headers, 'content-type': 'application/json' };
  const envelope = await post(`${service.base}/v1/contentmanagement/folders`, headers, body);
  return (envelope as Envelope).Folder.Id;
}

/** The part of a job that saves new files into this folder, each answered by its record alone. */
export function savesInto(
  { base, headers, pid }: Service,
  folderId: string,
): Pick<Job, 'port' | 'path' | 'headers' | 'expect' | 'serverPids'> {
  return {
    port: Number(new URL(base).port),
    path: '/v1/contentmanagement/files',
    headers: { ...headers, FolderId: folderId, Prefer: 'return=minimal' },
    expect: { kind: 'saved', childrenCount: 1 },
    serverPids: [pid],
  };
}

/** Saves one more file and returns the folder's total size with it. It is exact in every response. */
export async function readFolderSize(service: Service, folderId: string): Promise<number> {
  const headers = {
    ...service.headers,
    FolderId: folderId,
    FileName: 'last.bin',
    Prefer: 'return=minimal',
    'content-type': 'application/octet-stream',
  };
  const envelope = await post(`${service.base}/v1/contentmanagement/files`, headers, Buffer.alloc(bodySizeBytes));
  return (envelope as Envelope).Folder.Size;
}

async function fetchToken(base: string, application: Application): Promise<string> {
  const credentials = Buffer.from(`${application.AppKey}:${application.Secret}`).toString('base64');
  const headers = { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await post(`${base}/oauth2/token`, headers, 'grant_type=client_credentials');
  return (answer as { access_token: string }).access_token;
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string | Buffer<ArrayBuffer>,
): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers, body });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`POST ${url} answered ${response.status}: ${answer.slice(0, 600)}`);
  return JSON.parse(answer) as unknown;
}

// The developer's own CABINET_… settings stay out: they may name a database that holds something.
export function toEnvironment(children: Children, options: Options): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('CABINET_'));
  return {
    ...Object.fromEntries(inherited),
    CABINET_PORT: '0',
    CABINET_TEST_PORT: 'off',
    CABINET_MTLS_PORT: 'off',
    CABINET_ALLOW_ANY_DISK: 'yes',
    ...options.settings,
    CABINET_DATA: options.dataName === undefined ? dataFolder(children) : `${children.folder}/${options.dataName}`,
  };
}
