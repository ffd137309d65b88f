/**
 * A number from 0 to below 1 that follows from a text and looks like chance: machines have no randomness, and a run that is gone
 * through again has to come to the same (FNV-1a, 32 bits, with the finish of MurmurHash3).
 */
export const hashOf = (text: string): number => {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
};
