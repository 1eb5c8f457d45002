// Trusted proxies, by address or network.

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

const maxForwarded = 20;

export class Peers {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  /** Each an address or `address/bits`; what is neither is returned by `findMistake`. */
  constructor(peers: readonly string[]) {
    this.#isEmpty = peers.length === 0;
    for (const peer of peers) {
      const [address = '', bits] = peer.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  static findMistake(peers: readonly string[]): string | null {
    return peers.find((peer) => !isPeer(peer)) ?? null;
  }

  has(address: string | undefined): boolean {
    if (this.#isEmpty || address === undefined) return false;
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }

  /** The client's address: the last one in `X-Forwarded-For` that is not a trusted proxy. The header of other peers is
   *  ignored. */
  findClient({ socket, headers }: IncomingMessage): string {
    const peer = socket.remoteAddress ?? '';
    if (!this.has(peer)) return peer;
    const forwarded = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .slice(-maxForwarded)
      .map((address) => address.trim());
    const client = forwarded.findLast((address) => !this.has(address));
    return client !== undefined && isIP(client) !== 0 ? client : peer;
  }

  /** Whether a request without TLS came from this machine, or over TLS to a trusted proxy. */
  isPrivate(request: IncomingMessage): boolean {
    const { socket, headers } = request;
    if (this.has(socket.remoteAddress) && headers['x-forwarded-proto'] === 'https') return true;
    return isLoopback(this.findClient(request));
  }
}

const inside = new BlockList();
inside.addSubnet('127.0.0.0', 8, 'ipv4');
inside.addSubnet('10.0.0.0', 8, 'ipv4');
inside.addSubnet('172.16.0.0', 12, 'ipv4');
inside.addSubnet('192.168.0.0', 16, 'ipv4');
inside.addSubnet('169.254.0.0', 16, 'ipv4');
inside.addAddress('::1', 'ipv6');
inside.addSubnet('fc00::', 7, 'ipv6');
inside.addSubnet('fe80::', 10, 'ipv6');

/** Whether the peer is on this machine or in a private network, where proxies are. IPv4 in IPv6 counts as IPv4. */
export function isInside(address = ''): boolean {
  const family = isIP(address);
  return family !== 0 && inside.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./i.test(address);
}

function isPeer(peer: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(peer) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits ?? 0) <= (family === 6 ? 128 : 32);
}
