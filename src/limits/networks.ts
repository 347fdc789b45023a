import { isIPv6 } from 'node:net';

/**
 * What counts as one address: an IPv4 address, or the /64 of an IPv6 address, which is the least that a subscriber has. An
 * IPv4 address that is mapped into IPv6 counts as itself.
 */
export function addressOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const tailLength = tail === undefined || tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
  const missing = tail === undefined ? 0 : Math.max(0, 8 - groups.length - tailLength);
  const all = [...groups, ...Array.from({ length: missing }, () => '0'), ...(tail ? tail.split(':') : [])];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** The /24 of what `addressOf` makes of an IPv4 address; undefined for an IPv6 network, which is one already. */
export function networkOf(address: string): string | undefined {
  const end = address.lastIndexOf('.');
  return end < 0 ? undefined : `${address.slice(0, end)}.0/24`;
}
