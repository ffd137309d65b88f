import type { Pool } from './offline-values.ts';

/** What is known when a value is made up. */
export interface Material {
  /** What the values are taken from: the request, or one part of it. */
  readonly pool: Pool;
  /** What is asked. */
  readonly question: string;
  /** What the value is for: a tool's name and description. */
  readonly topic: string;
  /** Prompts that may list alternatives or name today's date. */
  readonly contexts: readonly string[];
  /** What was found out, if this is an answer rather than a call. */
  readonly found?: Found | undefined;
  /** Which item of a list this is: equally fitting alternatives take turns. */
  readonly turn: number;
  /** An answer must fit its schema whatever happens; a call is better not made than made up. */
  readonly purpose: 'call' | 'answer';
}

/** An answer's content, to be put into a shape. */
export interface Found {
  readonly text: string;
  readonly quotes: readonly { readonly text: string; readonly citation: string }[];
  /** From 0 to 1. */
  readonly coverage: number;
}
