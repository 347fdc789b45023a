import type { Http2Session, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Networks that Fastify, too, knows by name. */
const named: Record<string, readonly string[]> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether an address is one of the trusted proxies: addresses, networks in CIDR notation, or one of the names. */
export function proxies(trusted: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of trusted.flatMap((name) => named[name] ?? [name])) {
    const [address = '', prefix] = entry.split('/');
    // What Fastify does not take either, it refuses at the start with its own words.
    if (isIP(address) === 0) continue;
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else if (/^\d{1,3}$/.test(prefix)) list.addSubnet(address, Number(prefix), family);
  }
  // A mapped IPv4 address is found among those of IPv4.
  return (peer) => {
    const [address = ''] = peer.split('%');
    return trusted.length > 0 && isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
}

/** The caller's address for an HTTP/2 stream, found as Fastify finds it for requests. */
export function streamPeers(
  trusted: readonly string[],
): (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => string {
  const isProxy = proxies(trusted);
  // Asking a session for its socket's address takes as long as much else of a call.
  const addresses = new WeakMap<Http2Session, string>();
  return ({ session }, headers) => {
    if (!session) return '';
    let address = addresses.get(session);
    if (address === undefined) {
      address = session.socket.remoteAddress ?? '';
      addresses.set(session, address);
    }
    const forwarded = headers['x-forwarded-for'];
    return forwarded === undefined || trusted.length === 0 ? address : farthest(address, String(forwarded), isProxy);
  };
}

/** Each trusted proxy names the one before it; the first that is not trusted is the caller. */
function farthest(address: string, forwarded: string, isProxy: (address: string) => boolean): string {
  const named = forwarded
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  let caller = address;
  while (isProxy(caller)) {
    const next = named.pop();
    if (next === undefined) break;
    caller = next;
  }
  return caller;
}
