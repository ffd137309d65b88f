import { sha256 } from './sha256.ts';

/** The platform's SHA-256, in hex. */
type Hash = (algorithm: 'sha256', data: string | Uint8Array) => string;

const isFunction = (value: unknown): value is (...values: readonly unknown[]) => unknown =>
  typeof value === 'function';

/** Node's synchronous implementation; undefined in browsers, which have only an asynchronous one. */
const ofNode = (): Hash | undefined => {
  const node: unknown = Reflect.get(globalThis, 'process');
  const load: unknown =
    typeof node === 'object' && node !== null ? Reflect.get(node, 'getBuiltinModule') : undefined;
  const crypto: unknown = isFunction(load) ? load('node:crypto') : undefined;
  const hash: unknown =
    typeof crypto === 'object' && crypto !== null ? Reflect.get(crypto, 'hash') : undefined;
  return isFunction(hash) ? (algorithm, data) => String(hash(algorithm, data)) : undefined;
};

const native = ofNode();

/**
 * The SHA-256 of a text, or of bytes, in hex, by the platform's synchronous implementation where there is one: it takes a tenth of the time of the one
 * in JavaScript, which is used elsewhere.
 *
 * @example
 * platformSha256('abc') // => 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
 */
export const platformSha256 = (data: string | Uint8Array): string => native?.('sha256', data) ?? sha256(data);
