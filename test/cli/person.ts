// A person at the command line: a service of its own, a folder to work in, and `bin/cabinet`, in the process of the test or in its own.

import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fetchToken } from '../interface/client.ts';
import { cabinetJson, runHere } from '../service/here.ts';
import { cabinetProgram, makeDataFolder, type Registered, removeDataFolder, toVariables } from '../service/service.ts';
import { type StartedHere, type StartHereOptions, startServiceHere } from '../service/service-here.ts';

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  input?: string | Buffer;
  environment?: Record<string, string>;
  cwd?: string;
  /** Whether it has a process of its own: where it has input or runs beside another, and where the process is what is tested. */
  isProcess?: boolean;
}

export class Person {
  readonly dataFolder: string;
  readonly service: StartedHere;
  /** Where local files are; the current folder of every command. */
  readonly here: string;
  readonly profilesPath: string;
  #application: Registered | null = null;

  private constructor(dataFolder: string, service: StartedHere) {
    this.dataFolder = dataFolder;
    this.service = service;
    this.here = mkdtempSync(join(tmpdir(), 'cabinet-person-'));
    this.profilesPath = join(this.here, '..', `${this.here.split('/').at(-1)}-config`, 'profiles.json');
  }

  /** With a service that runs; signed in as an application of its own. */
  static async signedIn(options: StartHereOptions = {}): Promise<Person> {
    const person = await Person.atService(options);
    await person.signIn();
    return person;
  }

  static async atService(options: StartHereOptions = {}): Promise<Person> {
    const dataFolder = makeDataFolder();
    return new Person(dataFolder, await startServiceHere(dataFolder, options));
  }

  async signIn(name = 'desk', words: string[] = []): Promise<Registered> {
    const application = await this.operate<Registered>(['app', 'add', name]);
    const { code, stderr } = await this.logIn(this.service.production, application, words);
    assert.equal(code, 0, stderr);
    this.#application = application;
    return application;
  }

  /** As any application at any address, whatever comes of it. */
  logIn(address: string, { AppKey, Secret }: Pick<Registered, 'AppKey' | 'Secret'>, words: string[]): Promise<Ended> {
    const secretPath = join(this.dataFolder, '..', 'secret');
    writeFileSync(secretPath, `${Secret}\n`, { mode: 0o600 });
    return this.run(['login', address, '--app-key', AppKey, '--secret-file', secretPath, ...words]);
  }

  get application(): Registered {
    assert.ok(this.#application !== null);
    return this.#application;
  }

  /** An operator's command. */
  operate<Result>(words: string[]): Promise<Result> {
    return cabinetJson<Result>(this.dataFolder, words);
  }

  get variables(): NodeJS.ProcessEnv {
    const { DISPLAY: _, WAYLAND_DISPLAY: __, BROWSER: ___, ...variables } = toVariables(this.dataFolder);
    return { ...variables, CABINET_PROFILES: this.profilesPath, HOME: this.here };
  }

  /** A command from beginning to end, whatever it ends with. */
  run(words: string[], options: RunOptions = {}): Promise<Ended> {
    const { input, environment, cwd = this.here, isProcess = input !== undefined } = options;
    const variables = { ...this.variables, ...environment };
    if (!isProcess) return runHere(words, { variables, cwd });
    return new Promise((resolve) => {
      const spawned = { cwd, env: variables, maxBuffer: 256 * 1024 * 1024 };
      const child = execFile(cabinetProgram, words, spawned, (error, stdout, stderr) => {
        const code = error === null ? 0 : (child.exitCode ?? null);
        resolve({ code, stdout, stderr });
      });
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  }

  /** A command that must succeed; its lines. */
  async lines(...words: string[]): Promise<string[]> {
    const { code, stdout, stderr } = await this.run(words);
    assert.equal(code, 0, `cabinet ${words.join(' ')}: ${stdout}${stderr}`);
    return stdout.split('\n').slice(0, -1);
  }

  /** A command with --json that must succeed and print exactly one object. */
  async json<Result>(...words: string[]): Promise<Result> {
    const [line, ...others] = await this.lines(...words, '--json');
    assert.deepEqual(others, []);
    return JSON.parse(String(line)) as Result;
  }

  /** A command that runs until it is ended. */
  begin(words: string[], under: string[] = []): ChildProcess {
    const [program, ...rest] = [...under, cabinetProgram, ...words];
    return spawn(program as string, rest, { cwd: this.here, env: this.variables, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  write(path: string, content: string | Buffer): string {
    const whole = join(this.here, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, content);
    return whole;
  }

  read(path: string): string {
    return readFileSync(join(this.here, path), 'utf8');
  }

  async leave(): Promise<void> {
    await this.service.stop();
    removeDataFolder(this.dataFolder);
    rmSync(this.here, { recursive: true, force: true });
    rmSync(dirname(this.profilesPath), { recursive: true, force: true });
  }
}

/** Every file beneath a folder with its digest, and every folder, by the way to it. */
export function digests(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const digest = entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder';
    return [relative(folder, path), digest] as const;
  });
  return Object.fromEntries(found.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

interface Listed {
  Children: { Id: string; Name: string; Type: string }[];
}

/** The same of a remote folder, as the service tells it. */
export async function remoteDigests(person: Person, path: string): Promise<Record<string, string>> {
  const { application, service } = person;
  const token = await fetchToken(service.production, { Name: 'desk', ...application });
  const headers = { Authorization: `Bearer ${token}`, AppKey: application.AppKey };
  const ask = async <Answer>(address: string): Promise<Answer> => {
    const response = await fetch(`${service.production}/v1/contentmanagement${address}`, { headers });
    assert.equal(response.status, 200);
    return (await response.json()) as Answer;
  };
  const found: [string, string][] = [];
  const visit = async (folder: string, { Children }: Listed) => {
    for (const { Id, Name, Type } of Children) {
      const isFolder = Type === 'folder';
      found.push([`${folder}${Name}`, isFolder ? 'folder' : (await ask<{ Sha256: string }>(`/entries/${Id}`)).Sha256]);
      if (isFolder) await visit(`${folder}${Name}/`, await ask<Listed>(`/folders/${Id}?limit=1000`));
    }
  };
  await visit('', await ask<Listed>(`/folders?path=${encodeURIComponent(path)}&limit=1000`));
  return Object.fromEntries(found.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

export function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}
