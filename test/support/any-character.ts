import fc from 'fast-check';

/** Any character, also one of two code units. fast-check's own unit `binary` is the same, and makes a map of all 1,112,064 of them. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point));
