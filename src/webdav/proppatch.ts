// PROPPATCH: sets and removes dead properties, all or none (RFC 4918, section 9.2).

import type { DeadChange } from '../catalog/verbs/dead-properties.ts';
import type { Answer } from '../listener/answer.ts';
import { changeDeadProperties } from '../operations/dead-properties.ts';
import { checkConditions, toEntryPrecondition } from './conditions.ts';
import { isLive } from './live-properties.ts';
import { renderName, renderPropstat } from './property-request.ts';
import { type DavRequest, hrefOf, type Resource, requireEntry } from './resource.ts';
import { elementsOf, invalidXml, isDav, readXml, type XmlElement } from './xml-reader.ts';
import { escapeXml, xmlHead, xmlType } from './xml-text.ts';
import { renderElement } from './xml-writer.ts';

const protectedError = '<D:error><D:cannot-modify-protected-property/></D:error>';

export async function proppatch(dav: DavRequest, resource: Resource): Promise<Answer> {
  const entry = requireEntry(resource);
  const isConditional = await checkConditions(dav, entry);
  const changes = readUpdate(await readXml(dav.exchange.openBody()));
  const isProtected = ({ namespace, name }: DeadChange) => isLive(namespace, name);
  let propstats: string;
  if (changes.some(isProtected)) {
    propstats =
      renderPropstat(renderNames(changes.filter(isProtected)), '403 Forbidden', protectedError) +
      renderRest(changes.filter((change) => !isProtected(change)));
  } else {
    const { id } = entry.details.entry;
    const precondition = toEntryPrecondition(entry, isConditional);
    const done = await changeDeadProperties(dav.context.cabinet, entry.caller, { id, changes, precondition });
    propstats = done === 'done' ? renderPropstat(renderNames(changes), '200 OK') : renderTooLarge(changes);
  }
  const href = escapeXml(hrefOf(dav.context, entry));
  const body = `${xmlHead}<D:multistatus xmlns:D="DAV:"><D:response><D:href>${href}</D:href>${propstats}</D:response></D:multistatus>`;
  return { status: 207, headers: { 'Content-Type': xmlType }, body };
}

/** The largest one is at fault; the others fail because of it. */
function renderTooLarge(changes: readonly DeadChange[]): string {
  const [largest, ...others] = changes.toSorted((a, b) => (b.xml?.length ?? 0) - (a.xml?.length ?? 0));
  const atFault = largest === undefined ? [] : [largest];
  return renderPropstat(renderNames(atFault), '507 Insufficient Storage') + renderRest(others);
}

function renderRest(changes: readonly DeadChange[]): string {
  return changes.length === 0 ? '' : renderPropstat(renderNames(changes), '424 Failed Dependency');
}

function renderNames(changes: readonly DeadChange[]): string {
  const names = new Map(changes.map((change) => [JSON.stringify([change.namespace, change.name]), renderName(change)]));
  return [...names.values()].join('');
}

/** In the order of the document. */
function readUpdate(body: XmlElement | null): DeadChange[] {
  if (body === null || !isDav(body, 'propertyupdate')) throw invalidXml('the element must be DAV:propertyupdate');
  const changes = elementsOf(body).flatMap((action) => {
    const isSet = isDav(action, 'set');
    if (!isSet && !isDav(action, 'remove')) return [];
    const properties = elementsOf(action)
      .filter((one) => isDav(one, 'prop'))
      .flatMap(elementsOf);
    return properties.map((property) => toChange(property, isSet));
  });
  if (changes.length === 0) throw invalidXml('DAV:propertyupdate sets and removes nothing');
  return changes;
}

function toChange(property: XmlElement, isSet: boolean): DeadChange {
  const { namespace, name } = property;
  return { namespace, name, xml: isSet ? renderElement(property) : null };
}
