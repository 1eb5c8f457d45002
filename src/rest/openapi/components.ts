// The components of the OpenAPI document: the schemas, responses and examples that several operations refer to.

import type { RefusalCode } from '../../domain/refusal.ts';
import type { ResponseDescription } from './description.ts';
import { toRefusalExample } from './examples.ts';

export type Json = Record<string, unknown>;

export const tracking = { requesttrackingid: { $ref: '#/components/headers/requesttrackingid' } };

export function withTrackingId(response: ResponseDescription): Json {
  return { ...response, headers: { ...tracking, ...response.headers } };
}

/** The components of the document: what several operations refer to. */
export class Components {
  readonly #schemas = new Map<string, unknown>();
  readonly #texts = new Map<string, string>();
  readonly #examples = new Map<string, unknown>();
  readonly #responses = new Map<string, { text: string; response: unknown }>();

  /** A copy of the value in which each schema with a title is replaced by a reference to its component. */
  addReferences(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.addReferences(item));
    if (typeof value !== 'object' || value === null) return value;
    const { title } = value as { title?: unknown };
    return typeof title === 'string' ? this.#refer(title, value) : this.#copy(value);
  }

  #copy(value: object): Json {
    const copied = Object.entries(value).map(([key, item]) => [key, isData(key) ? item : this.addReferences(item)]);
    return Object.fromEntries(copied) as Json;
  }

  #refer(title: string, schema: object): Json {
    const text = JSON.stringify(schema);
    const known = this.#texts.get(title);
    if (known !== undefined && known !== text) throw new Error(`two schemas have the title ${title}`);
    if (known === undefined) {
      this.#texts.set(title, text);
      this.#schemas.set(title, this.#copy(schema));
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  addExample(code: RefusalCode) {
    const example = { summary: code, value: toRefusalExample(code) };
    this.#examples.set(code, example);
    return { $ref: `#/components/examples/${code}` };
  }

  /** Operations with the same refusals share one component. */
  addRefusal(status: string, refusal: ResponseDescription): Json {
    const text = JSON.stringify(refusal);
    let name = [...this.#responses].find(([, known]) => known.text === text)?.[0];
    if (name === undefined) {
      const others = [...this.#responses.keys()].filter((known) => known.startsWith(`Refused${status}`)).length;
      name = `Refused${status}${others === 0 ? '' : `No${others + 1}`}`;
      this.#responses.set(name, { text, response: this.addReferences(withTrackingId(refusal)) });
    }
    return { $ref: `#/components/responses/${name}` };
  }

  render(): Json {
    const responses = [...this.#responses].map(([name, { response }]) => [name, response] as const);
    return { schemas: sorted(this.#schemas), responses: sorted(new Map(responses)), examples: sorted(this.#examples) };
  }
}

/** The values of these keys are data, even if they look like schemas. */
function isData(key: string): boolean {
  return ['example', 'examples', 'default', 'const', 'enum'].includes(key);
}

function sorted(map: ReadonlyMap<string, unknown>): Json {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}
