// Whether a host is on a private network, where a document from outside must not send us.

import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

const privateNetworks = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  privateNetworks.addSubnet(network, bits);
privateNetworks.addAddress('::', 'ipv6');
privateNetworks.addAddress('::1', 'ipv6');
for (const [network, bits] of [
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  privateNetworks.addSubnet(network, bits, 'ipv6');

export type Resolve = (host: string) => Promise<readonly string[]>;

/** None, where there are none: what is sent there fails by itself. */
export async function resolveByDns(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

/** `host` as in a URL: a name, an address, or an IPv6 address in brackets. */
export async function isPrivateHost(host: string, resolve: Resolve): Promise<boolean> {
  const plain = host.replace(/^\[|\]$/g, '');
  const addresses = isIP(plain) === 0 ? await resolve(plain) : [plain];
  return addresses.some((address) => privateNetworks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'));
}
