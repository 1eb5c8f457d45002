// The body of PROPFIND: all properties, their names, or some of them; and what the answer shows of a resource.

import { DavRefusal } from './dav-refusal.ts';
import { commonNames, type Described, isLive, quotaNames, renderLive } from './live-properties.ts';
import { elementsOf, findDav, invalidXml, isDav, type XmlElement } from './xml-reader.ts';
import { escapeAttribute } from './xml-text.ts';

export interface PropertyName {
  namespace: string;
  name: string;
}

interface WantedProperty extends PropertyName {
  /** As an empty element. */
  element: string;
}

export interface PropertyRequest {
  kind: 'all' | 'names' | 'some';
  /** Those that are named; beside `all`, those to include. */
  wanted: readonly WantedProperty[];
  /** What must be read for it: the figures of the quota, locks, dead properties. */
  needsRoom: boolean;
  needsLocks: boolean;
  needsDead: boolean;
}

/** The answer repeats what is missing for every entry of a folder. Clients ask for at most thirty names or so. */
const maxWanted = 250;
const maxWantedLength = 16 * 1024;

const everything = { needsLocks: true, needsDead: true };

/** No body asks for all (RFC 4918, section 9.1). */
export function readPropfind(body: XmlElement | null): PropertyRequest {
  if (body === null) return { kind: 'all', wanted: [], needsRoom: false, ...everything };
  if (!isDav(body, 'propfind')) throw invalidXml('the element must be DAV:propfind');
  const [all, names, some] = ['allprop', 'propname', 'prop'].map((name) => findDav(body, name));
  if ([all, names, some].filter((one) => one !== undefined).length !== 1) {
    throw invalidXml('DAV:propfind has one of allprop, propname and prop');
  }
  const list = some ?? (all === undefined ? undefined : findDav(body, 'include'));
  const wanted = list === undefined ? [] : readWanted(list);
  const needsRoom = wanted.some(isOnRequest);
  if (some === undefined) return { kind: all === undefined ? 'names' : 'all', wanted, needsRoom, ...everything };
  const needsLocks = wanted.some(({ namespace, name }) => namespace === 'DAV:' && name === 'lockdiscovery');
  const needsDead = wanted.some(({ namespace, name }) => !isLive(namespace, name));
  return { kind: 'some', wanted, needsRoom, needsLocks, needsDead };
}

function readWanted(list: XmlElement): WantedProperty[] {
  const elements = elementsOf(list);
  if (elements.length > maxWanted)
    throw new DavRefusal(400, `The PROPFIND asks for more than ${maxWanted} properties.`);
  const wanted = elements.map(({ namespace, name }) => ({ namespace, name, element: renderName({ namespace, name }) }));
  if (wanted.reduce((sum, { element }) => sum + element.length, 0) > maxWantedLength) {
    throw new DavRefusal(400, `The names of the properties have more than ${maxWantedLength} characters.`);
  }
  return wanted;
}

export function renderProperties({ kind, wanted }: PropertyRequest, resource: Described): string {
  if (kind === 'names') {
    const own = [...commonNames, ...quotaNames].filter((name) => renderLive(name, resource) !== null);
    const dead = resource.properties.map(renderName).join('');
    return renderPropstat(own.map((name) => `<D:${name}/>`).join('') + dead, '200 OK');
  }
  let found = '';
  let missing = '';
  if (kind === 'all') {
    for (const name of commonNames) found += renderLive(name, resource) ?? '';
    for (const { xml } of resource.properties) found += xml;
  }
  for (const property of wanted) {
    if (kind === 'all' && !isOnRequest(property)) continue;
    const value = toValue(property, resource);
    if (value !== null) found += value;
    else if (kind === 'some') missing += property.element;
  }
  // An empty request gets an empty answer, which still needs one propstat.
  const isEmpty = found === '' && missing === '';
  return (
    (found === '' && !isEmpty ? '' : renderPropstat(found, '200 OK')) +
    (missing === '' ? '' : renderPropstat(missing, '404 Not Found'))
  );
}

/** Beside `allprop`, the others are there already. */
function isOnRequest({ namespace, name }: PropertyName): boolean {
  return namespace === 'DAV:' && quotaNames.includes(name);
}

function toValue({ namespace, name }: PropertyName, resource: Described): string | null {
  if (isLive(namespace, name)) return renderLive(name, resource);
  return resource.properties.find((one) => one.namespace === namespace && one.name === name)?.xml ?? null;
}

export function renderPropstat(properties: string, status: string, rest = ''): string {
  return `<D:propstat><D:prop>${properties}</D:prop><D:status>HTTP/1.1 ${status}</D:status>${rest}</D:propstat>`;
}

/** An empty element of this name. */
export function renderName({ namespace, name }: PropertyName): string {
  return namespace === 'DAV:' ? `<D:${name}/>` : `<${name} xmlns="${escapeAttribute(namespace)}"/>`;
}
