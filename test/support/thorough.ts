/** All cases of each law are tried: `npm run verify:full`. The ordinary gate tries a sample of those of which there are thousands. */
export const isThorough = process.env['TROUPE_FULL'] === '1';

/** A number of cases: the first in the ordinary gate, the second where all are tried. */
export const sized = (ordinary: number, thorough: number): number => (isThorough ? thorough : ordinary);

/** Every `stride`-th of the cases, from `first` on, in the ordinary gate; all where all are tried. */
export const sampled = <Case>(cases: readonly Case[], stride: number, first = 0): readonly Case[] =>
  isThorough ? cases : cases.filter((_, index) => index % stride === first % stride);
