import type { Json } from '../../base/json/json.ts';

/** The end of a call that failed. */
export const FAILED: unique symbol = Symbol('it failed');

/** The end of a call: what it returned, or that it failed. */
export type CallEnd = Json | typeof FAILED;

/** The results of a tool of which nothing more is known. */
export const DONE: readonly Json[] = ['done'];
