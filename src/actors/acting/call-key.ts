import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { sha256 } from '../../base/sha256.ts';

/** Identifies a call, whichever attempt makes it. */
export const callKey = (runId: string, path: string, step: number, callId: string): string =>
  `${runId}/${path}#${step}.${callId}`;

/** Characters of the digest: 48 bits distinguish the arguments of one call. */
const DIGEST_LENGTH = 12;

/**
 * The idempotency key of a call. It ends with a digest of the arguments, so that different arguments never share a key, even if the record
 * of them is lost. `conceal` removes values that a journal does not contain and a resumed run does not know.
 */
export const idempotencyKey = (
  call: string,
  input: Json,
  conceal: (text: string) => string = (text) => text,
): string => `${call}~${sha256(conceal(canonical(input))).slice(0, DIGEST_LENGTH)}`;

const DIGEST = /~[0-9a-f]+$/;
const CALL = /#\d+\.call_\d+_\d+(~[0-9a-f]+)?$/;

/** Checks whether a name has the form of a call's key. */
export const isCallKey = (name: string): boolean => CALL.test(name);

/** The call of an idempotency key, whatever its arguments. */
export const callInKey = (key: string): string => key.replace(DIGEST, '');

/** Address of the agent that makes the call with a key. */
export const pathInCallKey = (key: string): string => key.replace(CALL, '').replace(/^[^/]*\//, '');

/** The id of the run that makes the call with a key. */
export const runInCallKey = (key: string): string => key.split('/', 1)[0] ?? key;
