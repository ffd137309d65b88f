import type { Pool } from './offline-values.ts';

/** The input for making up values. */
export interface Material {
  /** Source of the values: the request, or one part of it. */
  readonly pool: Pool;
  /** The question. */
  readonly question: string;
  /** Purpose of the value: a tool's name and description. */
  readonly topic: string;
  /** Prompts that may list alternatives or name today's date. */
  readonly contexts: readonly string[];
  /** Findings, for an answer rather than a call. */
  readonly found?: Found | undefined;
  /** Index within a list: equally good alternatives take turns. */
  readonly turn: number;
  /** An answer must satisfy its schema in any case; a call is better not made than made up. */
  readonly purpose: 'call' | 'answer';
}

/** The content of an answer, before it is shaped. */
export interface Found {
  readonly text: string;
  readonly quotes: readonly { readonly text: string; readonly citation: string }[];
  /** From 0 to 1. */
  readonly coverage: number;
}
