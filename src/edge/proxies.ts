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
