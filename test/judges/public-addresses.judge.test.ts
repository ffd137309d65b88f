import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { isPublicAddress } from '../../src/tools/built-in/http/public-address.ts';

/** Ranges that `ipaddr.js` has a name for, as both families have them. */
const special = (address: string): boolean => ipaddr.parse(address).range() !== 'unicast';

const ipv4 = fc.ipV4();
const ipv6 = fc.oneof(
  fc.ipV6(),
  ipv4.map((address) => `::ffff:${address}`),
  ipv4.map((address) => `64:ff9b::${address}`),
  fc
    .tuple(
      fc.constantFrom('2001', '2002', '2001:db8', '2001:20', 'fc00', 'fe80', 'ff02', '3fff'),
      fc.nat(0xffff),
    )
    .map(([head, tail]) => `${head}::${tail.toString(16)}`),
);
/** The first and the last addresses of networks, and their neighbours: where two tables differ, if they do. */
const edges = fc
  .tuple(fc.nat({ max: 0xffff_ffff }), fc.integer({ min: 4, max: 32 }), fc.constantFrom(-1, 0, 1))
  .map(([address, bits, more]) => {
    const start = Math.floor(address / 2 ** (32 - bits)) * 2 ** (32 - bits) + more;
    return [24, 16, 8, 0].map((shift) => Math.floor(Math.abs(start) / 2 ** shift) % 256).join('.');
  });

test('what ipaddr.js knows as a special range is never public', () => {
  const seen = { special: 0, public: 0 };
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6, edges), (address) => {
      const [isOpen, isSpecial] = [isPublicAddress(address), special(address)];
      if (isOpen) seen.public += 1;
      if (isSpecial) seen.special += 1;
      expect(isOpen && isSpecial, address).toBe(false);
    }),
    { numRuns: 50_000 },
  );
  expect(Math.min(seen.special, seen.public)).toBeGreaterThan(1_000);
});
