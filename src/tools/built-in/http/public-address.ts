import { BlockList, isIP } from 'node:net';

/** Networks of IPv4 for special purposes (the registry of IANA, multicast), reachable or not, and the address by which Azure serves its machines. */
const PRIVATE_4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Of IPv6 only global unicast is public, and of that not these: they carry other addresses, are examples, or are answered by the next machine. */
const PRIVATE_6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const listOf = (networks: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const [network, bits] of networks) list.addSubnet(network, bits, family);
  return list;
};

const private4 = listOf(PRIVATE_4, 'ipv4');
const private6 = listOf(PRIVATE_6, 'ipv6');
const global6 = listOf([['2000::', 3]], 'ipv6');

/** An address of IPv4 in the last part of one of IPv6 in any network (ISATAP), as `URL` writes it. */
const ISATAP = /(?:::|:0:|:200:)5efe:(?:[\da-f]{1,4}:[\da-f]{1,4}|:)\]$/;

/**
 * Checks whether a text is an IP address of the public internet.
 *
 * An allow-list for IPv6: forms that embed an IPv4 address (mapped, NAT64, 6to4, compatible, ISATAP) are always refused.
 *
 * @example
 * isPublicAddress('169.254.169.254') // => false
 */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !private4.check(address, 'ipv4');
    case 6:
      return (
        !address.includes('%') &&
        global6.check(address, 'ipv6') &&
        !private6.check(address, 'ipv6') &&
        !ISATAP.test(new URL(`http://[${address}]`).hostname)
      );
    default:
      return false;
  }
};
