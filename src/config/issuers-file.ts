// Reads the file of outside issuers that `CABINET_ISSUERS` names: a JSON array of objects, one per issuer. Read once; all
// mistakes are reported together.

import { readFileSync } from 'node:fs';
import type { OutsideIssuerRules } from '../auth/outside-issuer.ts';
import { isSafeAddress, outsideAlgorithms } from '../auth/outside-rules.ts';

const fields = [
  'Name',
  'Issuer',
  'Audience',
  'JwksUri',
  'AppKeyClaim',
  'UserClaim',
  'ScopeClaims',
  'OwnTokenWhen',
  'TokenType',
  'Algorithms',
  'Environment',
] as const;

type Field = (typeof fields)[number];

/** Prefixes of our own actors, which no issuer may use. */
const reservedNames = ['app', 'operator'];

/** Stands for a value whose mistake was reported already. */
const unread = '\0';

export class IssuersMistakes extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(`The file of issuers has mistakes:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`);
    this.name = 'IssuersMistakes';
    this.mistakes = mistakes;
  }
}

export function readIssuersFile(path: string): OutsideIssuerRules[] {
  const mistakes: string[] = [];
  const entries = readEntries(path);
  const rules = entries.map((entry, index) => new EntryReader(entry, `entry ${index + 1}`, mistakes).read());
  tellRepeated(rules, ({ name, environment }) => `${name} ${environment}`, 'Name', mistakes);
  tellRepeated(rules, ({ issuer, environment }) => `${issuer} ${environment}`, 'Issuer', mistakes);
  if (mistakes.length > 0) throw new IssuersMistakes(mistakes);
  return rules;
}

function readEntries(path: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new IssuersMistakes([`${path}: ${(error as Error).message}`]);
  }
  if (!Array.isArray(value)) throw new IssuersMistakes([`${path}: not a JSON array`]);
  return value;
}

function tellRepeated(
  rules: readonly OutsideIssuerRules[],
  toKey: (rule: OutsideIssuerRules) => string,
  field: Field,
  mistakes: string[],
): void {
  const firsts = new Map<string, number>();
  for (const [index, rule] of rules.entries()) {
    const key = toKey(rule);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, index);
    else if (!key.startsWith(unread)) mistakes.push(`entry ${index + 1}: ${field}: the same as in entry ${first + 1}`);
  }
}

class EntryReader {
  readonly #values: Record<string, unknown>;
  readonly #where: string;
  readonly #mistakes: string[];

  constructor(entry: unknown, where: string, mistakes: string[]) {
    this.#where = where;
    this.#mistakes = mistakes;
    const isObject = typeof entry === 'object' && entry !== null && !Array.isArray(entry);
    this.#values = isObject ? (entry as Record<string, unknown>) : {};
    if (!isObject) mistakes.push(`${where}: not an object`);
  }

  read(): OutsideIssuerRules {
    for (const name of Object.keys(this.#values)) {
      if (!(fields as readonly string[]).includes(name)) this.#addMistake(name, 'is not a field of an issuer');
    }
    return {
      name: this.#name(),
      issuer: this.#issuer(),
      audience: this.#text('Audience'),
      jwksUri: this.#jwksUri(),
      appKeyClaim: this.#text('AppKeyClaim', 'client_id'),
      userClaim: this.#text('UserClaim', 'sub'),
      scopeClaims: this.#text('ScopeClaims', 'scope').split(/\s+/),
      ownTokenWhen: this.#ownTokenWhen(),
      tokenType: this.#text('TokenType', 'at+jwt'),
      algorithms: this.#algorithms(),
      environment: this.#environment(),
    };
  }

  #addMistake(field: string, problem: string): string {
    this.#mistakes.push(`${this.#where}: ${field}: ${problem}`);
    return unread;
  }

  #has(field: Field): boolean {
    return Object.hasOwn(this.#values, field);
  }

  #text(field: Field, fallback?: string): string {
    if (!this.#has(field)) return fallback ?? this.#addMistake(field, 'is missing');
    const value = this.#values[field];
    if (typeof value === 'string' && value !== '' && value.trim() === value) return value;
    return this.#addMistake(field, `${JSON.stringify(value)} is not a text without white space around it`);
  }

  #name(): string {
    const name = this.#text('Name');
    if (name === unread) return name;
    if (reservedNames.includes(name))
      return this.#addMistake('Name', `${JSON.stringify(name)} is taken by the service itself`);
    if (/^[a-z0-9-]{1,32}$/.test(name)) return name;
    return this.#addMistake('Name', `${JSON.stringify(name)} is not 1 to 32 lower-case letters, digits and dashes`);
  }

  #issuer(): string {
    const issuer = this.#text('Issuer');
    if (issuer === unread || (isSafeAddress(issuer) && !/[?#]/.test(issuer))) return issuer;
    return this.#addMistake(
      'Issuer',
      `${JSON.stringify(issuer)} is not an https address (or http on loopback) without query and fragment`,
    );
  }

  #jwksUri(): string | null {
    if (!this.#has('JwksUri')) return null;
    const address = this.#text('JwksUri');
    if (address === unread || isSafeAddress(address)) return address;
    return this.#addMistake('JwksUri', `${JSON.stringify(address)} is not an https address (or http on loopback)`);
  }

  #ownTokenWhen(): OutsideIssuerRules['ownTokenWhen'] {
    if (!this.#has('OwnTokenWhen')) return null;
    const text = this.#text('OwnTokenWhen');
    const [, claim, value] = /^([^=]+)(?:=(.+))?$/.exec(text) ?? [];
    if (claim !== undefined && text !== unread) return { claim, value: value ?? null };
    if (text !== unread)
      this.#addMistake('OwnTokenWhen', `${JSON.stringify(text)} is not of the form claim=value or claim`);
    return null;
  }

  #algorithms(): readonly string[] {
    if (!this.#has('Algorithms')) return outsideAlgorithms;
    const value = this.#values.Algorithms;
    if (Array.isArray(value) && value.length > 0 && value.every((name) => outsideAlgorithms.includes(name)))
      return value;
    this.#addMistake('Algorithms', `${JSON.stringify(value)} is not a list of some of ${outsideAlgorithms.join(', ')}`);
    return outsideAlgorithms;
  }

  #environment(): OutsideIssuerRules['environment'] {
    const text = this.#text('Environment', 'production');
    if (text === 'production' || text === 'test') return text;
    if (text !== unread) this.#addMistake('Environment', `${JSON.stringify(text)} is neither production nor test`);
    return 'production';
  }
}
