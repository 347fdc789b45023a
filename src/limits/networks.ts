import { isIPv6 } from 'node:net';

/**
 * What counts as one address: an IPv4 address, or the /64 of an IPv6 address, the least that a subscriber has. An IPv4-mapped
 * IPv6 address counts as the IPv4 address.
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

/**
 * The networks around a result of `addressOf`, smallest first: the /24 of an IPv4 address; for IPv6 the /56, which many
 * subscribers have to themselves, and the /48, which anybody can get.
 */
export function networksOf(address: string): string[] {
  if (address.includes(':')) {
    const [first, second, third, fourth = ''] = address.split(':');
    const site = `${first}:${second}:${third}`;
    return [`${site}:${(Number.parseInt(fourth, 16) & 0xff00).toString(16)}::/56`, `${site}::/48`];
  }
  const end = address.lastIndexOf('.');
  return end < 0 ? [] : [`${address.slice(0, end)}.0/24`];
}
