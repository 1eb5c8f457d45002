// The components of the OpenAPI document: the schemas, responses and examples that several operations refer to.

import type { RefusalCode } from '../../domain/refusal.ts';
import type { Parameter, ResponseDescription } from './description.ts';
import { toRefusalExample } from './examples.ts';
import { answerHeader, headerComponents } from './headers.ts';
import { refusalMeanings } from './refusal-meanings.ts';

export type Json = Record<string, unknown>;

/** Every answer has these. */
export const tracking = answerHeader('requesttrackingid', 'Cache-Control');

export function withTrackingId(response: ResponseDescription): Json {
  return { ...response, headers: { ...tracking, ...response.headers } };
}

/** The components of the document: what several operations refer to. */
export class Components {
  readonly #schemas = new Map<string, unknown>();
  readonly #texts = new Map<string, string>();
  readonly #examples = new Map<string, unknown>();
  readonly #responses = new Map<string, Shared>();
  readonly #parameters = new Map<string, Shared>();

  /** A copy of the value in which each schema with a title is replaced by a reference to its component. */
  addReferences(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.addReferences(item));
    if (typeof value !== 'object' || value === null) return value;
    const { title } = value as { title?: unknown };
    return typeof title === 'string' ? this.#refer(title, value) : this.#copy(value);
  }

  #copy(value: object): Json {
    const portable = Object.entries(toPortable(value as Json));
    this.#keepExample(value as Json);
    return Object.fromEntries(portable.map(([key, item]) => [key, isData(key) ? item : this.addReferences(item)]));
  }

  /** The first example of a schema becomes that of its component. */
  #keepExample({ schema, example, examples }: Json): void {
    const { title } = (schema ?? {}) as { title?: unknown };
    const first = Object.values((examples ?? {}) as Record<string, { value?: unknown }>)[0]?.value;
    const shown = example ?? first;
    if (typeof title !== 'string' || shown === undefined) return;
    this.#refer(title, schema as Json);
    const component = this.#schemas.get(title) as Json;
    if (component.examples === undefined) component.examples = [shown];
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
    const example = { summary: code, description: refusalMeanings[code], value: toRefusalExample(code) };
    this.#examples.set(code, example);
    return { $ref: `#/components/examples/${code}` };
  }

  /** Operations with the same refusals share one component. */
  addRefusal(status: string, refusal: ResponseDescription): Json {
    return this.addResponse(`Refused${status}`, refusal);
  }

  /** Equal responses share one component. */
  addResponse(name: string, response: ResponseDescription): Json {
    const found = share(this.#responses, name, response, () => this.addReferences(withTrackingId(response)));
    return { $ref: `#/components/responses/${found}` };
  }

  /** Equal parameters share one component. */
  addParameter(parameter: Parameter): Json {
    const found = share(this.#parameters, parameter.name, parameter, () => this.addReferences(parameter));
    return { $ref: `#/components/parameters/${found}` };
  }

  render(): Json {
    return {
      schemas: sorted(this.#schemas),
      responses: toValues(this.#responses),
      parameters: toValues(this.#parameters),
      headers: this.addReferences(headerComponents),
      examples: sorted(this.#examples),
    };
  }
}

const anyKey = '^.*$';

/** The same schema, written so that generators of clients understand it: many need the type of an enum and the width of an
 *  integer, and do not know `patternProperties`. */
function toPortable(schema: Json): Json {
  const { enforced, ...rest } = schema;
  if (typeof enforced === 'object') return { ...rest, ...enforced };
  if (Array.isArray(schema.enum) && schema.type === undefined) return { type: 'string', ...schema };
  if (schema.type === 'integer' && schema.format === undefined) return { ...schema, format: 'int64' };
  const { patternProperties, ...others } = schema;
  const values = (patternProperties as Json | undefined)?.[anyKey];
  if (values === undefined) return schema;
  return { ...others, additionalProperties: Object.keys(values as Json).length === 0 ? true : values };
}

/** The values of these keys are data, even if they look like schemas. */
function isData(key: string): boolean {
  return ['example', 'examples', 'default', 'const', 'enum'].includes(key);
}

interface Shared {
  text: string;
  value: unknown;
}

/** The name of the component with this text: `Name`, or `NameNo2` where another one has the name. */
function share(known: Map<string, Shared>, name: string, source: object, render: () => unknown): string {
  const text = JSON.stringify(source);
  let found = name;
  for (let n = 2; known.has(found) && known.get(found)?.text !== text; n += 1) found = `${name}No${n}`;
  if (!known.has(found)) known.set(found, { text, value: render() });
  return found;
}

function toValues(shared: ReadonlyMap<string, Shared>): Json {
  return sorted(new Map([...shared].map(([name, { value }]) => [name, value] as const)));
}

function sorted(map: ReadonlyMap<string, unknown>): Json {
  return Object.fromEntries([...map].sort(([a], [b]) => (a < b ? -1 : 1)));
}
