// Writes elements that a client sent, such as the value of a property or the owner of a lock. What is
// written of those stands by itself: it declares every namespace that it uses.

import type { XmlElement } from './xml-reader.ts';
import { escapeAttribute, escapeXml } from './xml-text.ts';

/** An element with everything in it. */
export function renderElement(element: XmlElement): string {
  return render(element, null, true);
}

/** The declarations on an element, and those around it: never copied, since bodies can have thousands of both. */
interface Scope {
  declarations: Map<string, string>;
  outer: Scope | null;
}

function find(scope: Scope | null, prefix: string): string | undefined {
  for (let one = scope; one !== null; one = one.outer) {
    const namespace = one.declarations.get(prefix);
    if (namespace !== undefined) return namespace;
  }
  return prefix === '' ? '' : undefined;
}

function render(element: XmlElement, outer: Scope | null, isTop: boolean): string {
  const declarations = new Map<string, string>();
  const scope = { declarations, outer };
  const declare = (prefix: string, namespace: string) => {
    if (prefix === 'xml' || prefix === 'xmlns' || find(scope, prefix) === namespace) return;
    declarations.set(prefix, namespace);
  };
  for (const [prefix, namespace] of Object.entries(element.declared)) declare(prefix, namespace);
  declare(element.prefix, element.namespace);
  for (const { prefix, namespace } of element.attributes) if (prefix !== '') declare(prefix, namespace);
  const tag = toName(element.prefix, element.name);
  let text = `<${tag}`;
  for (const [prefix, namespace] of declarations) {
    text += ` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escapeAttribute(namespace)}"`;
  }
  for (const { prefix, name, value } of element.attributes) {
    text += ` ${toName(prefix, name)}="${escapeAttribute(value)}"`;
  }
  const hasLang = element.attributes.some(({ prefix, name }) => prefix === 'xml' && name === 'lang');
  if (isTop && element.lang !== null && !hasLang) text += ` xml:lang="${escapeAttribute(element.lang)}"`;
  const inner = element.children.map((one) => (typeof one === 'string' ? escapeXml(one) : render(one, scope, false)));
  return inner.length === 0 ? `${text}/>` : `${text}>${inner.join('')}</${tag}>`;
}

function toName(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}:${name}`;
}
