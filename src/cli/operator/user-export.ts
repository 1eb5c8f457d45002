// `cabinet user export`: one JSON document, written while it arrives, so that it may be larger than the memory.

import { once } from 'node:events';
import { createWriteStream, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { ExportPart } from '../../control/personal-data-commands.ts';
import { Refusal } from '../../domain/refusal.ts';
import { runCommand } from './run-command.ts';

export interface ExportOptions {
  env?: string;
  out?: string;
  /** Everything in one line. */
  json?: boolean;
}

interface Exported {
  User: string;
  Rows: Record<string, number>;
}

/** Null: it was written to standard output. */
export async function exportUser(user: string, { env, out, json }: ExportOptions): Promise<object | null> {
  const input = { user, ...(env !== undefined && { env }) };
  if (out === undefined) {
    await write(input, new JsonDocument(process.stdout, json === true ? '' : '\n'));
    return null;
  }
  if (existsSync(out)) throw new Refusal('InvalidField', `${out} exists already.`, { target: 'out' });
  const part = `${out}.part`;
  rmSync(part, { force: true });
  const file = createWriteStream(part, { fd: openSync(part, 'wx', 0o600) });
  try {
    const exported = await write(input, new JsonDocument(file, '\n'));
    file.end();
    await finished(file);
    renameSync(part, out);
    return { User: exported.User, File: out, ...exported.Rows };
  } catch (error) {
    file.destroy();
    rmSync(part, { force: true });
    throw error;
  }
}

async function write(input: object, document: JsonDocument): Promise<Exported> {
  const abort = new AbortController();
  process.once('SIGINT', () => abort.abort());
  const progress = (part: object) => document.add(part as ExportPart);
  const command = { name: 'user export', input: { ...input } };
  const exported = (await runCommand(command, { progress, signal: abort.signal })) as Exported;
  if (abort.signal.aborted) throw new Error('The export was interrupted.');
  await document.end();
  return exported;
}

/** An object whose lists arrive in parts. */
class JsonDocument {
  readonly #target: NodeJS.WritableStream;
  /** What is before each field and item. */
  readonly #break: string;
  /** The list that is open. */
  #list: string | null = null;
  #isEmpty = true;
  #isListEmpty = true;

  constructor(target: NodeJS.WritableStream, lineBreak: '' | '\n') {
    this.#target = target;
    this.#break = lineBreak;
  }

  async add(part: ExportPart): Promise<void> {
    if ('Field' in part) {
      await this.#write(`${this.#begin(part.Field)}${JSON.stringify(part.Value)}`);
      return;
    }
    let text = '';
    if (this.#list !== part.List) {
      text = `${this.#begin(part.List)}[`;
      this.#list = part.List;
      this.#isListEmpty = true;
    }
    for (const item of part.Items) {
      text += `${this.#isListEmpty ? '' : ','}${this.#break}${JSON.stringify(item)}`;
      this.#isListEmpty = false;
    }
    await this.#write(text);
  }

  async end(): Promise<void> {
    await this.#write(`${this.#closeList()}${this.#break}}\n`);
  }

  #begin(name: string): string {
    const before = `${this.#closeList()}${this.#isEmpty ? '{' : ','}`;
    this.#isEmpty = false;
    return `${before}${this.#break}${JSON.stringify(name)}: `;
  }

  #closeList(): string {
    const end = this.#list === null ? '' : ']';
    this.#list = null;
    return end;
  }

  async #write(text: string): Promise<void> {
    if (!this.#target.write(text)) await once(this.#target, 'drain');
  }
}
