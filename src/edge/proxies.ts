import type { Http2Session, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { BlockList, isIP, isIPv6 } from 'node:net';

/** Networks that Fastify knows by name, too. */
const named: Record<string, readonly string[]> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether an address is a trusted proxy, given as addresses, networks in CIDR notation, or named networks. */
export function proxies(trusted: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of trusted.flatMap((name) => named[name] ?? [name])) {
    const [address = '', prefix] = entry.split('/');
    // What Fastify does not accept either, it rejects at start-up with its own message.
    if (isIP(address) === 0) continue;
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else if (/^\d{1,3}$/.test(prefix)) list.addSubnet(address, Number(prefix), family);
  }
  // A mapped IPv4 address is looked up among the IPv4 ones.
  return (peer) => {
    const [address = ''] = peer.split('%');
    return trusted.length > 0 && isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  };
}

/** The caller's address for an HTTP/2 stream, determined as Fastify does for requests. */
export function streamPeers(
  trusted: readonly string[],
): (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => string {
  const isProxy = proxies(trusted);
  // Asking a session for its socket's address is expensive compared with the rest of a call.
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

/** Each trusted proxy names its predecessor; the first untrusted address is the caller's. */
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
