import { sha256 as hash } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * The SHA-256 of a text, or of bytes, in hex.
 *
 * @example
 * sha256('abc') // => 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
 */
export const sha256 = (data: string | Uint8Array): string =>
  bytesToHex(hash(typeof data === 'string' ? utf8ToBytes(data) : data));
