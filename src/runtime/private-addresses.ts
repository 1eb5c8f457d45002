// Which addresses are public, and what a name resolves to. Requests that others can cause go to public addresses only, unless an
// operator allows others.

import { lookup, Resolver } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Reserved, private, loopback, link-local, shared (CGNAT), multicast, for documentation and for benchmarks. */
const reserved = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  reserved.addSubnet(network, bits);
/** Within 2000::/3: protocol assignments with Teredo, documentation, 6to4, documentation. */
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  reserved.addSubnet(network, bits, 'ipv6');

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
/** IPv4 addresses in IPv6 ones: mapped, and as NAT64 writes them. */
const embedding = new BlockList();
embedding.addSubnet('::ffff:0:0', 96, 'ipv6');
embedding.addSubnet('64:ff9b::', 96, 'ipv6');

/** False for what is no address, and for one with a zone. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !reserved.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return false;
  if (embedding.check(address, 'ipv6')) return isPublicAddress(toEmbedded(address));
  return globalUnicast.check(address, 'ipv6') && !reserved.check(address, 'ipv6');
}

/** The IPv4 address in the last 32 bits. */
function toEmbedded(address: string): string {
  // URL writes the canonical form, in which the last 32 bits are the last two groups.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

export type Resolve = (host: string) => Promise<readonly string[]>;

/** None, where there are none: what is sent there fails by itself. */
export async function resolveByDns(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

/** Answers like "no such name" and "no name server", after which the hosts file may still know the name. */
const isKnownByHosts = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED', 'ENONAME']);

/** The same for names that others choose. A name server that hangs must not hold the threads of the process that files are
 *  written with, so the system's resolver is called only where name servers have answered at once. */
export async function resolveForeign(host: string): Promise<readonly string[]> {
  if (host === 'localhost' || host.endsWith('.localhost')) return await resolveByDns(host);
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  const isSure = answers.every(
    (answer) => answer.status === 'rejected' && isKnownByHosts.has((answer.reason as NodeJS.ErrnoException).code ?? ''),
  );
  return isSure ? await resolveByDns(host) : [];
}

/** `host` as in a URL: a name, an address, or an IPv6 address in brackets. */
export async function isPrivateHost(host: string, resolve: Resolve): Promise<boolean> {
  const addresses = await toAddresses(host, resolve);
  return addresses.some((address) => !isPublicAddress(address));
}

export async function toAddresses(host: string, resolve: Resolve): Promise<readonly string[]> {
  const plain = host.replace(/^\[|\]$/g, '');
  return isIP(plain) === 0 ? await resolve(plain) : [plain];
}
