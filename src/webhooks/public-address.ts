import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { BlockList, isIP, type LookupFunction } from 'node:net';

// Everything outside the public internet, by the IANA special-purpose address registries (RFC 6890 and later). Addresses that
// embed an IPv4 address (mapped, NAT64, 6to4, Teredo) are refused entirely.
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
  reserved.addSubnet(network, bits, 'ipv4');

/** Only 2000::/3 is allocated to the public internet; these parts of it are not. */
const reservedInPublic = new BlockList();
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  reservedInPublic.addSubnet(network, bits, 'ipv6');
const publicV6 = new BlockList();
publicV6.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !reserved.check(address, 'ipv4');
  return version === 6 && publicV6.check(address, 'ipv6') && !reservedInPublic.check(address, 'ipv6');
}

/** The literal address in a URL's host; undefined for a name. */
export function addressInUrl({ hostname }: URL): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}

/** Of one try; the next one has twice as long. Together they are shorter than connecting may take. */
const answerMs = 1_500;
const tries = 2;

/**
 * Resolves names for a connection, and fails if any of the addresses is not public. The connection uses exactly the addresses
 * that were checked, so a name that changes in between (DNS rebinding) gains nothing.
 *
 * Asks the name servers itself: the system's resolver has a thread for each name, and Node two at a time for all names. A few that
 * nobody answers for would keep every new connection of the service waiting, to models and to the database too. `servers`: by default
 * the system's.
 */
export function createPublicLookup(servers?: readonly string[]): LookupFunction {
  const resolver = new Resolver({ timeout: answerMs, tries });
  if (servers) resolver.setServers(servers);

  return (hostname, options, callback) => {
    addressesOf(resolver, hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
          callback(new Error('The address is not on the public internet.'), '', 0);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, '', 0),
    );
  };
}

/** Those of version 4 first: any host can use them. Fails if there are none of either version. */
async function addressesOf(resolver: Resolver, hostname: string): Promise<LookupAddress[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  return [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
  ];
}
