// Reads single settings: text to value. A mistake is noted and answered with a value that does no harm, so that all mistakes are
// reported together.

import { isAbsolute } from 'node:path';
import type { OutsideIssuerRules } from '../auth/outside-issuer.ts';
import { Peers } from '../certificates/peers.ts';
import { toBytes } from '../domain/bytes.ts';
import { ConfigMistakes } from './config-mistakes.ts';
import { IssuersMistakes, readIssuersFile } from './issuers-file.ts';
import type { SettingName } from './settings.ts';
import { hasPlainPath, parseUrl } from './urls.ts';

export type Values = Record<SettingName, string>;

export class SettingReader {
  readonly #values: Values;
  readonly #mistakes: string[] = [];

  constructor(values: Values) {
    this.#values = values;
  }

  mistake(name: SettingName, problem: string): void {
    this.#mistakes.push(`${name}: ${problem}`);
  }

  /** Throws all mistakes, if there are any. */
  finish(): void {
    if (this.#mistakes.length > 0) throw new ConfigMistakes(this.#mistakes);
  }

  parsed<Value>(name: SettingName, parse: (text: string) => Value, fallback: Value): Value {
    try {
      return parse(this.#values[name]);
    } catch (error) {
      this.mistake(name, (error as Error).message);
      return fallback;
    }
  }

  port(name: SettingName): number | null {
    const text = this.#values[name];
    if (text === 'off') return null;
    const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (port <= 65535) return port;
    const off = name === 'CABINET_PORT' ? '' : ', or off';
    this.mistake(name, `${JSON.stringify(text)} is not a port (0 to 65535${off})`);
    return null;
  }

  url(name: SettingName): string | null {
    const text = this.#values[name];
    const url = text === '' ? null : parseUrl(text);
    if (url === null && text !== '') this.mistake(name, `${JSON.stringify(text)} is not an http or https address`);
    return url;
  }

  publicUrl(name: SettingName): string | null {
    const url = this.url(name);
    if (url === null || hasPlainPath(url)) return url;
    this.mistake(name, `${JSON.stringify(url)}: its path can have letters, digits and -._~ only`);
    return null;
  }

  tls(certName: SettingName, keyName: SettingName): { certPath: string; keyPath: string } | null {
    const { [certName]: certPath, [keyName]: keyPath } = this.#values;
    if (certPath === '' && keyPath === '') return null;
    if (certPath === '' || keyPath === '') this.mistake(certName, `goes with ${keyName}; only one is set`);
    return { certPath, keyPath };
  }

  /** Not looked for on the PATH: what runs must not depend on who starts the service. */
  program(name: SettingName): string | null {
    const path = this.#values[name];
    if (path === '') return null;
    if (!isAbsolute(path)) this.mistake(name, `${JSON.stringify(path)} is not a whole path, such as /usr/bin/soffice`);
    return path;
  }

  peers(name: SettingName): readonly string[] {
    const peers = this.#values[name].split(/[\s,]+/).filter(Boolean);
    const wrong = Peers.findMistake(peers);
    if (wrong === null) return peers;
    this.mistake(name, `${JSON.stringify(wrong)} is not an address or a network, such as 10.0.0.0/8`);
    return [];
  }

  issuers(name: SettingName): readonly OutsideIssuerRules[] {
    const path = this.#values[name];
    if (path === '') return [];
    try {
      return readIssuersFile(path);
    } catch (error) {
      if (!(error instanceof IssuersMistakes)) throw error;
      for (const mistake of error.mistakes) this.mistake(name, mistake);
      return [];
    }
  }

  choice<Choice extends string>(name: SettingName, choices: readonly Choice[]): Choice {
    const text = this.#values[name];
    const found = choices.find((choice) => choice === text);
    if (found === undefined) this.mistake(name, `${JSON.stringify(text)} is not one of ${choices.join(', ')}`);
    return found ?? (choices[0] as Choice);
  }

  bytes(name: SettingName, most = Number.MAX_SAFE_INTEGER): number {
    const text = this.#values[name];
    const bytes = toBytes(text);
    if (bytes !== undefined && bytes <= most) return bytes;
    const limit = most === Number.MAX_SAFE_INTEGER ? '' : `, at most ${most} bytes`;
    this.mistake(name, `${JSON.stringify(text)} is not a size (a number of bytes, or with KiB, MiB, GiB, TiB${limit})`);
    return 0;
  }

  /** Null: unlimited. */
  bytesOrNone(name: SettingName): number | null {
    return this.#values[name] === 'unlimited' ? null : this.bytes(name);
  }

  origins(name: SettingName): ReadonlySet<string> {
    const origins = this.#values[name].split(/[\s,]+/).filter(Boolean);
    const wrong = origins.find((origin) => URL.parse(origin)?.origin !== origin);
    if (wrong !== undefined)
      this.mistake(name, `${JSON.stringify(wrong)} is not an origin, such as https://app.example`);
    return new Set(origins);
  }

  number(name: SettingName, most: number): number {
    const text = this.#values[name];
    const number = /^\d{1,7}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    if (number <= most) return number;
    this.mistake(name, `${JSON.stringify(text)} is not a number from 0 to ${most}`);
    return 0;
  }

  /** Null: unlimited. */
  countOrNone(name: SettingName): number | null {
    return this.#values[name] === 'unlimited' ? null : this.count(name);
  }

  count(name: SettingName): number {
    const text = this.#values[name];
    const count = /^\d{1,7}$/.test(text) ? Number(text) : 0;
    if (count < 1) this.mistake(name, `${JSON.stringify(text)} is not a number from 1 to 9999999`);
    return count;
  }
}
